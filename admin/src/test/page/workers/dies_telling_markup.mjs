// A worker that never starts. Its last words would do harm in a page that took them for markup.
console.error("<img src=x onerror=\"document.title='broken into'\"><script>document.title='broken into'</script>");
process.exit(3);

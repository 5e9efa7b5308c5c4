console.log("neither listens nor exports");

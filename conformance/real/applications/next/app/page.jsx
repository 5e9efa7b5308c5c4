export default function Page() {
  return <h1>a static page</h1>;
}

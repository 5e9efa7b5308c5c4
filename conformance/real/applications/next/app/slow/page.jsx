import { connection } from "next/server";
import { Suspense } from "react";

async function Slow() {
  await connection();
  await new Promise((go) => {
    globalThis.go = go;
  });
  return <p>the slow part</p>;
}

export default function Page() {
  return (
    <Suspense fallback={<p>one moment</p>}>
      <Slow />
    </Suspense>
  );
}

import { readdirSync, readFileSync } from "node:fs";

const FRAMES = new URL("../../../conformance/frames/", import.meta.url);
const JSON_LIMIT = "1048576";
const BODY_LIMIT = "33554432";

/** The documents of conformance/frames, in the form that conformance/README.md tells. */
export function frameFixtures() {
  const files = readdirSync(FRAMES).filter((name) => name.endsWith(".md"));
  return files.sort().flatMap((file) => {
    const sections = readFileSync(new URL(file, FRAMES), "utf8").split(/^## /m);
    return sections.slice(1).map((section) => fixture(file, section));
  });
}

function fixture(file, section) {
  const properties = Object.fromEntries(
    [...section.matchAll(/^- ([a-z ]+): (.+)$/gm)].map(([, name, value]) => [name, value]),
  );
  const blocks = Object.fromEntries(
    [...section.matchAll(/^```(hex|json)\n(.*?)^```$/gms)].map(([, kind, text]) => [kind, text]),
  );
  return {
    name: `${file}: ${section.split("\n", 1)[0]}`,
    from: properties.from,
    limits: {
      jsonBytes: Number(properties["json limit"] ?? JSON_LIMIT),
      bodyBytes: Number(properties["body limit"] ?? BODY_LIMIT),
    },
    reaction: properties.reaction,
    bytes: bytesOf(blocks.hex),
    messages: JSON.parse(blocks.json ?? "[]"),
  };
}

function bytesOf(hex) {
  const tokens = hex.replace(/#.*/g, "").split(/\s+/).filter(Boolean);
  return Buffer.concat(
    tokens.map((token) => {
      const [byte, times = "1"] = token.split("*");
      return Buffer.alloc(Number(times), Number.parseInt(byte, 16));
    }),
  );
}

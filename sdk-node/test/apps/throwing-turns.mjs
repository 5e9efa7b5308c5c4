// What is due at the end of a turn, of which some throws, in a program that goes on after that.
import { Channel } from "../../src/protocol/channel.mjs";

process.on("uncaughtException", (error) => console.log(`uncaught: ${error.message}.`));

function fail(message) {
  throw new Error(message);
}

const channel = new Channel(
  process.env.HANDOFF_SOCKET,
  () => {},
  () => {},
);
channel.limits = { jsonBytes: 1000, bodyBytes: 1000, streamBytes: 1000 };
channel.atTurnEnd({ turnEnds: () => fail("at the end") });
channel.atTurnEnd({ turnEnds: () => console.log("the turn has ended.") });
channel.afterFlush(() => fail("behind it"));
channel.afterFlush(() => {
  console.log("flushed.");
  setTimeout(() => channel.send('{"type":"later"}'), 1);
});

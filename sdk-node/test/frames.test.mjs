import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { describe, test } from "node:test";
import { readMessage } from "../src/protocol/core-message.mjs";
import { BrokenFrame, FrameReader } from "../src/protocol/frame-reader.mjs";
import { PlainRequest } from "../src/protocol/plain-request.mjs";
import { RequestBody } from "../src/protocol/request-body.mjs";
import { beginsRequest, hasMore, parseHead, readHead } from "../src/protocol/request-json.mjs";
import { frameFixtures } from "./support/fixtures.mjs";

const RANDOM_CUTS = 20;

describe("conformance/frames", () => {
  const fixtures = frameFixtures().filter(({ from }) => from === "core");
  assert.ok(fixtures.length > 20, "the fixtures are where they should be");
  for (const fixture of fixtures) {
    test(fixture.name, () => {
      for (const chunks of waysToCut(fixture.bytes)) {
        const { messages, reaction } = readAll(fixture, chunks);
        const cut = `cut at ${chunks.map((chunk) => chunk.length)}`;
        const expected = fixture.messages.map(asTold);
        assert.deepEqual(
          messages.map((message, i) => knownPart(message, expected[i])),
          expected,
          cut,
        );
        assert.equal(reaction, fixture.reaction.split(":")[0], cut);
      }
    });
  }
});

/** Whole, byte by byte, in two at every place, and at random. */
function* waysToCut(bytes) {
  yield [bytes];
  yield [...bytes].map((byte) => Buffer.of(byte));
  for (let at = 1; at < bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
  for (let i = 0; i < RANDOM_CUTS; i++) {
    const chunks = [];
    for (let at = 0, end = 0; at < bytes.length; at = end) {
      end = Math.min(bytes.length, at + randomInt(1, 50));
      chunks.push(bytes.subarray(at, end));
    }
    yield chunks; // a failure prints where it was cut
  }
}

/** Reads as a socket does: always into the same buffer. */
function readAll({ limits, bytes }, chunks) {
  const messages = [];
  let complete = 0;
  const reader = new FrameReader((json, body) => {
    complete += 8 + Buffer.byteLength(json) + body.length;
    const message = messageOf(json, body);
    if (message !== undefined) messages.push(message);
  });
  reader.limits = limits;
  const buffer = Buffer.alloc(Math.max(...chunks.map((chunk) => chunk.length)));
  try {
    for (const chunk of chunks) {
      chunk.copy(buffer);
      reader.read(buffer, chunk.length);
      buffer.fill(0xff);
    }
  } catch (error) {
    assert.ok(error instanceof BrokenFrame, String(error));
    return { messages, reaction: "refused" };
  }
  if (complete < bytes.length) return { messages, reaction: "incomplete" };
  return { messages, reaction: messages.length > 0 ? "accepted" : "ignored" };
}

function messageOf(json, body) {
  if (beginsRequest(json)) return asRequest(readHead(json), body, hasMore(json, body.length));
  const message = readMessage(json, body.length);
  if (message?.type === "request") return asRequest(parseHead(message), body, message.more === true);
  return message && { ...message, bodyHex: body.toString("hex") };
}

/** All that the handler would see. */
function asRequest(head, body, more) {
  const request = new PlainRequest(head, body, more ? new RequestBody(body, () => {}) : undefined);
  const { id, timeoutMillis, method, target, version, headers, client, scheme, prefix, requestId } = request;
  const websocket = PlainRequest.subprotocolsOf(request);
  const clientCertificate = request.clientCertificate?.raw.toString("base64");
  return asTold({
    ...{ type: "request", id, timeoutMillis, method, target, version, headers, client, requestId },
    ...{ scheme, prefix, more, bodyHex: body.toString("hex"), ...(websocket && { websocket }) },
    ...(clientCertificate && { clientCertificate }),
  });
}

/** The same for a message of a fixture. The subject is read from the certificate. */
function asTold({ body, bodyHex, scheme = "http", prefix = "", requestId, clientSubject, ...message }) {
  const content = { bodyHex: bodyHex ?? Buffer.from(body ?? "").toString("hex") };
  if (message.type === "request") {
    return { ...message, ...content, scheme, prefix, requestId, more: message.more === true };
  }
  return {
    ...message,
    ...(["data", "message"].includes(message.type) && content),
    ...(requestId !== undefined && { requestId }),
  };
}

/** Of a message of the core, what the fixture says of it: keys that are not known may come with it. */
function knownPart(message, expected) {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) return message;
  return Object.fromEntries(Object.keys(expected).map((key) => [key, knownPart(message[key], expected[key])]));
}

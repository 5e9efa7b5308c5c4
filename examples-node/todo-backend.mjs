// The TodoBackend (todobackend.com): a to-do list that a page of any origin may change.
//
// The list is in the memory of this process. With more than one worker each would have a list of its own, so run it with one;
// what several share belongs in a database.
//
//     handoff run --workers 1 examples-node/todo-backend.mjs
import { serve } from "handoff-worker";

/** @typedef {{ url: string, title: string, completed: boolean, order?: number }} Todo */

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, PATCH, DELETE",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "600",
};

/** @type {Map<string, Todo>} */
const todos = new Map();
let lastNumber = 0;

serve({
  /** @param {Request} request */
  async fetch(request) {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
    const { pathname, origin } = new URL(request.url);
    const key = pathname.slice(1);
    if (key === "") return list(request, origin);
    const todo = todos.get(key);
    return todo ? one(request, key, todo) : problem(404, `there is no to-do ${key}`);
  },
});

/** @param {Request} request @param {string} origin */
async function list(request, origin) {
  switch (request.method) {
    case "GET":
      return json(200, [...todos.values()]);
    case "POST": {
      const changes = await changesIn(request);
      if (changes === undefined || changes.title === undefined) return problem(400, "a to-do has a title");
      const key = String(++lastNumber);
      const todo = { title: "", completed: false, ...changes, url: `${origin}/${key}` };
      todos.set(key, todo);
      return json(201, todo);
    }
    case "DELETE":
      todos.clear();
      return json(200, []);
    default:
      return problem(405, "GET, POST or DELETE the list");
  }
}

/** @param {Request} request @param {string} key @param {Todo} todo */
async function one(request, key, todo) {
  switch (request.method) {
    case "GET":
      return json(200, todo);
    case "PATCH": {
      const changes = await changesIn(request);
      if (changes === undefined) return problem(400, "title is a text, completed true or false, order a number");
      return json(200, Object.assign(todo, changes));
    }
    case "DELETE":
      todos.delete(key);
      return new Response(null, { status: 204, headers: CORS });
    default:
      return problem(405, "GET, PATCH or DELETE a to-do");
  }
}

/** What a client may change; undefined where it sent something else. @param {Request} request @returns {Promise<Partial<Todo> | undefined>} */
async function changesIn(request) {
  const { title, completed, order } = await request.json().catch(() => ({}));
  const wrong =
    (title !== undefined && typeof title !== "string") ||
    (completed !== undefined && typeof completed !== "boolean") ||
    (order !== undefined && typeof order !== "number");
  if (wrong) return undefined;
  return Object.fromEntries(Object.entries({ title, completed, order }).filter(([, value]) => value !== undefined));
}

/** @param {number} status @param {unknown} content */
function json(status, content) {
  return Response.json(content, { status, headers: CORS });
}

/** @param {number} status @param {string} error */
function problem(status, error) {
  return json(status, { error });
}

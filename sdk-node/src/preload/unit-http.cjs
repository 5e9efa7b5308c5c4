"use strict";

const Module = /** @type {any} */ (require("node:module"));

const NAME = "unit-http";

/** Makes `require("unit-http")`, the module of NGINX Unit, mean node:http where none is installed. */
function aliasUnitHttp() {
  const resolve = Module._resolveFilename;
  /** @param {string} request @param {any[]} others */
  Module._resolveFilename = function resolveWithAlias(request, ...others) {
    if (request !== NAME) return resolve.call(this, request, ...others);
    try {
      return resolve.call(this, request, ...others);
    } catch {
      return "http";
    }
  };
}

module.exports = { aliasUnitHttp };

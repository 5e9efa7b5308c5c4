package dev.handoff.admin.api;

import dev.handoff.http.Request;
import java.util.concurrent.Executor;

/**
 * A request for an {@link Endpoint}.
 *
 * @param name what stands in place of the braces in the endpoint's path; empty without them
 * @param authorised whether the caller may know all: it bears the token, or none is needed
 * @param loop the thread of the admin server: work that takes long, such as writing JSON, belongs
 *     there, and not on the loop of whoever was asked
 */
public record Call(Request request, String name, Query query, boolean authorised, Executor loop) {}

// How near a request in flight is to its end, so that the stuck one catches the eye.

/** @import { InFlight } from "./types.js" */

const SLOW = 0.5;
const STUCK = 0.9;

/** Without a deadline nothing says how long is too long; a minute is for most. */
const PATIENCE_MILLIS = 60_000;

/** A request that lasts so many times longer than nearly all others is worth a look, but not below a second. */
const UNUSUAL = 10;
const UNUSUAL_MILLIS = 1000;

/** The part of its time that a request has used, at most one. @param {InFlight} request */
export function used({ ageMillis, deadlineInMillis }) {
  const all = deadlineInMillis === null ? PATIENCE_MILLIS : ageMillis + Math.max(0, deadlineInMillis);
  return all > 0 ? Math.min(1, ageMillis / all) : 1;
}

/**
 * A cancelled request that is still here holds a place of its worker although nobody waits for its response; until its
 * deadline the worker may go on with it.
 *
 * @param {InFlight} request @param {number | null} usualMillis what 99 of 100 do not exceed
 * @returns {"calm" | "slow" | "stuck"}
 */
export function urgency(request, usualMillis = null) {
  const part = used(request);
  if (part >= STUCK) return "stuck";
  const unusual = usualMillis !== null && request.ageMillis > Math.max(UNUSUAL_MILLIS, UNUSUAL * usualMillis);
  return part >= SLOW || unusual || request.state === "cancelled" ? "slow" : "calm";
}

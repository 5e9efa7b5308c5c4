// The height of a chart: a round number, and calm.

const STEPS = [1, 2, 5, 10];

/** The smallest 1, 2 or 5 times a power of ten that is not below `value`. @param {number} value */
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = STEPS.find((each) => each * power >= value * 0.999_999) ?? 10;
  return step * power;
}

/**
 * The top of an axis that has to show `max`. It grows at once and shrinks late, so that a line that wavers around a round
 * number does not make the axis jump.
 *
 * @param {number} before the top so far, 0 at first @param {number | null} max @param {number} least
 */
export function top(before, max, least) {
  const wanted = roundUp(Math.max(max ?? 0, least));
  return wanted > before || wanted < before / 3 ? wanted : before;
}

/** Returns the median. For an even count, it is the lower of the two middle numbers. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** Returns the bounds of the middle half of the numbers. */
export function spread(numbers: readonly number[]): readonly [low: number, high: number] {
  return [quantile(numbers, 0.25), quantile(numbers, 0.75)];
}

/** Returns a text such as `median (low–high)`. */
export function describe(numbers: readonly number[], digits: number): string {
  const [low, high] = spread(numbers).map((number) => number.toFixed(digits));
  return `${median(numbers).toFixed(digits)} (${low}–${high})`;
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}

import { around } from "./figures.ts";
import type { SoakResult } from "./soak.ts";

/** The least duration of a soak that shows whether the controller grows, in minutes. */
const leastMinutes = 10;
/** The growth of the memory since 10 % of the soak that counts as a leak. */
const mostGrowth = 1.4;
/** The number of handles more than at 10 % of the soak that counts as a leak. */
const mostHandles = 15;

/** Returns everything that is wrong. A soak without flaws has succeeded. */
export function flawsOf(result: SoakResult): readonly string[] {
  const { figures, lost, leases, files } = result;
  return [
    ...figures.flaws,
    ...lost.outside.map((line) => `lost request: ${line}`),
    ...leases.map((text) => `left at the end: ${text}`),
    ...files.map((file) => `left file: ${file}`),
    ...growth(result),
  ];
}

function growth({ figures, minutes }: SoakResult): readonly string[] {
  if (minutes < leastMinutes) return [];
  const [warm, end] = [around(figures.samples, 0.1), around(figures.samples, 1)];
  const flaws: string[] = [];
  if (end.residentMb > warm.residentMb * mostGrowth)
    flaws.push(`the controller grew from ${warm.residentMb} to ${end.residentMb} MB`);
  if (end.handles > warm.handles + mostHandles)
    flaws.push(`the handles of the controller grew from ${warm.handles} to ${end.handles}`);
  return flaws;
}

/**
 * Formats a CUE path as users write it: `containers[0].image`, `labels["app.kubernetes.io/name"]`.
 */
export function fieldPath(steps: readonly string[]): string {
  const parts = steps.map((step) => {
    if (/^\d+$/.test(step)) return `[${step}]`;
    return /^[\w-]+$/.test(step) ? `.${step}` : `["${step}"]`;
  });
  return parts.join("").replace(/^\./, "");
}

/**
 * Returns a text as the runner prints it in a job with a secret. It masks the secret, and each of
 * its lines without the spaces around it.
 * Source: `InitializeSecretMasker` in src/Runner.Worker/Worker.cs of actions/runner 2.336.0.
 */
export function asPrinted(text: string, secret: string): string {
  const value = secret.trim();
  const masks = [value, ...value.split(/[\r\n]/).map((line) => line.trim())];
  return masks
    .filter((mask) => mask !== "")
    .toSorted((a, b) => b.length - a.length)
    .reduce((printed, mask) => printed.replaceAll(mask, "***"), text);
}

import { info, setSecret } from "@actions/core";

/** The job's log. What is written to it may contain text that others wrote. */
export function logLines(text: string): void {
  info(neutralise(text));
}

/**
 * The runner takes `::command::` at the start of a line and `##[command]` anywhere for orders of ours. An invisible
 * character in between leaves the text readable and the order unread.
 */
export function neutralise(text: string): string {
  return text.replaceAll(order, "$1:\u200b").replaceAll("##[", "#\u200b#[");
}

/**
 * The runner is written in .NET, for which U+0085 is white space, too. Within one line only: white space over many lines would
 * be looked through from each of them again.
 */
const order = /^((?:[^\S\r\n\u2028\u2029]|\u0085)*):(?=:)/gmu;

/** Hides a secret in everything that the job prints from now on, line by line: a key file is printed in lines. */
export function mask(secret: string): void {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  maskWhole(secret);
  maskAll(lines.filter((line) => line.length >= shortestMask));
}

/**
 * Hides a text that has secrets in it where all of it is printed: as it is, as Base64 and as JSON. Of a text with several
 * lines the runner would hide each line wherever it stands, also `apiVersion: v1`; its secrets are masked by themselves.
 */
export function maskWhole(text: string): void {
  const single = /[\r\n]/.test(text.trim()) ? [] : [text.trim()];
  maskAll([...single, Buffer.from(text).toString("base64"), JSON.stringify(text).slice(1, -1)]);
}

function maskAll(forms: readonly string[]): void {
  for (const form of new Set(forms)) if (form !== "") setSecret(form);
}

/** Masking shorter lines, `---` or `}`, would blot out the whole log. */
const shortestMask = 8;

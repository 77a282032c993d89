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
  return text.replaceAll(/^(\s*):(?=:)/gmu, "$1:\u200b").replaceAll("##[", "#\u200b#[");
}

/**
 * Hides a secret in everything that the job prints from now on: as it is, line by line (a key file is printed in lines), as
 * Base64 and as JSON.
 */
export function mask(secret: string): void {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const forms = [
    secret,
    ...lines.filter((line) => line.length >= shortestMask),
    Buffer.from(secret).toString("base64"),
    JSON.stringify(secret).slice(1, -1),
  ];
  for (const form of new Set(forms)) if (form.trim() !== "") setSecret(form);
}

/** Masking shorter lines, `---` or `}`, would blot out the whole log. */
const shortestMask = 8;

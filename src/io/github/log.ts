import { info, setSecret } from "@actions/core";
import type { SentSecrets } from "../../redaction/sent-secrets.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { plainLines } from "../../redaction/terminal.ts";

const print: (lines: TerminalText) => void = info;

/** The job's log. What is written to it may contain text that others wrote. */
export function logLines(text: string): void {
  print(plainLines(text));
}

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

const maskCommand = "::add-mask::";

/**
 * Hides the credentials of a run in all that the step prints, until the function that it returns is called. Only the command
 * that has the runner mask them contains them.
 */
export function hideInLog({ stdout }: NodeJS.Process, sent: SentSecrets): () => void {
  const { write } = stdout;
  const hide = (text: unknown) =>
    typeof text === "string" && !text.startsWith(maskCommand) ? sent.hide(text) : text;
  stdout.write = (...[text, ...rest]: readonly unknown[]) =>
    Reflect.apply(write, stdout, [hide(text), ...rest]) as boolean;
  return () => {
    stdout.write = write;
  };
}

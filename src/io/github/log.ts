import { info, setSecret } from "@actions/core";
import type { SentSecrets } from "../../redaction/sent-secrets.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { plainLines } from "../../redaction/terminal.ts";

const print: (lines: TerminalText) => void = info;

/** Writes to the job's log. The text can contain strings from untrusted sources. */
export function logLines(text: string): void {
  print(plainLines(text));
}

/**
 * Hides a secret in everything that the job prints from now on. It also masks each line, because a
 * key file is printed in lines.
 */
export function mask(secret: string): void {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  maskWhole(secret);
  maskAll(lines.filter((line) => line.length >= shortestMask));
}

/**
 * Hides a text with secrets where it is printed in full: as it is, as Base64 and as JSON.
 * The runner would hide each line of a text with several lines everywhere, for example
 * `apiVersion: v1`. Such a text is therefore masked only in the other forms, and its secrets
 * separately.
 */
export function maskWhole(text: string): void {
  const single = /[\r\n]/.test(text.trim()) ? [] : [text.trim()];
  maskAll([...single, Buffer.from(text).toString("base64"), JSON.stringify(text).slice(1, -1)]);
}

function maskAll(forms: readonly string[]): void {
  for (const form of new Set(forms)) if (form !== "") setSecret(form);
}

/**
 * The minimum length of a masked line. A mask for a shorter one, `---` or `}`, would make the whole
 * log unreadable.
 */
const shortestMask = 8;

const maskCommand = "::add-mask::";

/**
 * Hides the credentials of a run in the output of the step, until the returned function is called.
 * Only the command that makes the runner mask them contains them.
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

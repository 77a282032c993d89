import { fieldOf } from "../../../model/json.ts";
import { type FailedAnswer, failure } from "./failure.ts";

/** The system's reasons in plain words; the code follows in brackets, for those who search for it. */
const reasons: Readonly<Record<string, string>> = {
  ABORT_ERR: "it did not answer in time",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ENOTFOUND: "there is no such host name",
  EAI_AGAIN: "the host name could not be looked up just now",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "no route leads to that host",
  ENETUNREACH: "no route leads to that network",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; check the clock of this machine",
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted(),
  SELF_SIGNED_CERT_IN_CHAIN: untrusted(),
  UNABLE_TO_GET_ISSUER_CERT: untrusted(),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted(),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted(),
  CERT_SIGNATURE_FAILURE: untrusted(),
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name; see tls-server-name",
  EPROTO: "it does not speak TLS there, or refuses our certificate",
};

function untrusted(): string {
  return "its certificate is not signed by the certificate authority of the kubeconfig; see certificate-authority-data";
}

/** There was no answer: where we called and why nothing came, without the system's jargon. */
export function unreachable(server: string, error: unknown): FailedAnswer {
  const host = new URL(server).host;
  return failure("unreachable", `${host} cannot be reached: ${describe(error)}`);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  if (code === undefined) return error.message;
  const reason = fieldOf(reasons, code);
  return reason === undefined ? `${error.message} (${code})` : `${reason} (${code})`;
}

export function codeOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

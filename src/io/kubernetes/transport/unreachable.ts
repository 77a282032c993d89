import { fieldOf } from "../../../model/json.ts";
import { type FailedAnswer, failure } from "./failure.ts";

/**
 * The system's errors in plain words. The message adds the code in parentheses, for users who
 * search for it.
 */
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
  EPROTO: "it does not speak TLS there, or refuses our certificate",
};

interface Distrust {
  readonly reason: string;
  readonly fix: string;
}

const untrusted: Distrust = {
  reason: "its certificate is not signed by the certificate authority of the kubeconfig",
  fix: "Correct certificate-authority-data of that cluster in the kubeconfig, or the server's address if that is another cluster",
};

/**
 * Errors of certificates that qvs doesn't trust. A server answered, so these errors have fixes of
 * their own.
 */
const distrusts: Readonly<Record<string, Distrust>> = {
  CERT_HAS_EXPIRED: {
    reason: "its certificate has expired",
    fix: "Have the certificate of the cluster's API server renewed, or check the clock of this machine",
  },
  CERT_NOT_YET_VALID: {
    reason: "its certificate is not valid yet",
    fix: "Check the clock of this machine",
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: "its certificate is for another name",
    fix: "Use an address that the certificate names, or name one of its names as tls-server-name of that cluster in the kubeconfig",
  },
};

/**
 * Returns the failure of a request without an answer: the host and the cause, without the system's
 * jargon.
 */
export function unreachable(server: string, error: unknown): FailedAnswer {
  const { host } = new URL(server);
  const code = codeOf(error);
  const distrust = code === undefined ? undefined : fieldOf(distrusts, code);
  if (distrust === undefined) {
    return failure("unreachable", `${host} cannot be reached: ${describe(error)}`);
  }
  const { reason, fix } = distrust;
  const failed = failure("unreachable", `${host} cannot be trusted: ${reason} (${code})`);
  return { ...failed, failure: { ...failed.failure, fix } };
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

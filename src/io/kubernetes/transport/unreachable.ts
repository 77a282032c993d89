import { fieldOf } from "../../../model/json.ts";
import { type FailedAnswer, failure } from "./failure.ts";

/**
 * The system's errors in plain words. The message adds the code in parentheses, for users who
 * search for it.
 */
const reasons: Readonly<Record<string, string>> = {
  ABORT_ERR: "it didn't answer in time",
  ECONNREFUSED: "nothing listens at this address",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ENOTFOUND: "the host name doesn't exist",
  EAI_AGAIN: "the host name can't be resolved at the moment",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  EPROTO: "it doesn't use TLS, or rejects the client certificate",
};

interface TrustFailure {
  readonly reason: string;
  readonly fix: string;
}

const untrusted: TrustFailure = {
  reason: "its certificate isn't signed by the certificate authority in the kubeconfig",
  fix: "Correct certificate-authority-data of the cluster in the kubeconfig, or the server address if it belongs to another cluster",
};

/**
 * Errors of certificates that qvs doesn't trust. A server answered, so these errors have fixes of
 * their own.
 */
const trustFailures: Readonly<Record<string, TrustFailure>> = {
  CERT_HAS_EXPIRED: {
    reason: "its certificate has expired",
    fix: "Check the clock of this machine, or renew the certificate of the API server",
  },
  CERT_NOT_YET_VALID: {
    reason: "its certificate isn't valid yet",
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
    fix: "Use an address that the certificate contains, or set tls-server-name of the cluster in the kubeconfig to a name that it contains",
  },
};

/**
 * Returns the failure of a request without an answer: the host and the cause, without the system's
 * jargon.
 */
export function unreachable(server: string, error: unknown): FailedAnswer {
  const { host } = new URL(server);
  const code = errorCode(error);
  const distrust = code === undefined ? undefined : fieldOf(trustFailures, code);
  if (distrust === undefined) {
    return failure("unreachable", `${host} can't be reached: ${describe(error)}`);
  }
  const { reason, fix } = distrust;
  const failed = failure("unreachable", `${host} can't be trusted: ${reason} (${code})`);
  return { ...failed, failure: { ...failed.failure, fix } };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = errorCode(error);
  if (code === undefined) return error.message;
  const reason = fieldOf(reasons, code);
  return reason === undefined ? `${error.message} (${code})` : `${reason} (${code})`;
}

export function errorCode(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

import { expect, test } from "vitest";
import { unreachable } from "../../../src/io/kubernetes/transport/unreachable.ts";
import { apiProblem } from "../../../src/model/cluster/api-failure.ts";

const server = "https://cluster.example:6443";

test.each([
  [
    "ECONNREFUSED",
    "cluster.example:6443 cannot be reached: nothing listens there (ECONNREFUSED)",
    "Check that the cluster runs, and the server's address in the kubeconfig",
  ],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "cluster.example:6443 cannot be trusted: its certificate is not signed by the certificate authority of the kubeconfig (SELF_SIGNED_CERT_IN_CHAIN)",
    "Correct certificate-authority-data of that cluster in the kubeconfig, or the server's address if that is another cluster",
  ],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "cluster.example:6443 cannot be trusted: its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)",
    "Use an address that the certificate names, or name one of its names as tls-server-name of that cluster in the kubeconfig",
  ],
  [
    "CERT_HAS_EXPIRED",
    "cluster.example:6443 cannot be trusted: its certificate has expired (CERT_HAS_EXPIRED)",
    "Have the certificate of the cluster's API server renewed, or check the clock of this machine",
  ],
  [
    "CERT_NOT_YET_VALID",
    "cluster.example:6443 cannot be trusted: its certificate is not valid yet (CERT_NOT_YET_VALID)",
    "Check the clock of this machine",
  ],
])("%s is told with what helps against it", (code, what, fix) => {
  const { failure } = unreachable(server, Object.assign(new Error("it failed"), { code }));
  expect(apiProblem({ server }, "read the release", failure)).toMatchObject({
    code: "cluster-unreachable",
    what: `Cannot read the release: ${what}`,
    fix,
  });
});

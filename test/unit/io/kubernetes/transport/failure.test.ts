import { expect, test } from "vitest";
import { refusal, unreachable } from "../../../../../src/io/kubernetes/transport/failure.ts";
import { apiProblem } from "../../../../../src/model/cluster/api/api-failure.ts";

const cause = (field: string, message: string) => ({ reason: "FieldValueInvalid", field, message });

test("faults are reported in the same order, whatever the order of the answer", () => {
  const causes = [
    cause("spec.engine", "Value is immutable"),
    cause("spec.bucket", "too long"),
    cause("spec.engine", "too long"),
  ];
  const messages = [causes, causes.toReversed()].map((listed) => {
    const status = { kind: "Status", code: 422, message: "invalid", details: { causes: listed } };
    const { failure } = refusal(422, JSON.stringify(status));
    return failure.causes.map(({ field, message }) => `${field}: ${message}`);
  });
  const inOrder = [
    "spec.bucket: too long",
    "spec.engine: Value is immutable",
    "spec.engine: too long",
  ];
  expect(messages).toEqual([inOrder, inOrder]);
});

test("a duplicate node port in a Service is a fault of the Service, not of the API server", () => {
  const message = "duplicate nodePort: {TCP 30971}";
  const { failure } = refusal(500, JSON.stringify({ kind: "Status", code: 500, message }));
  const duplicate = { reason: "FieldValueDuplicate", field: "spec.ports" };
  expect(failure.reason).toBe("invalid");
  expect(failure.causes).toEqual([
    { ...duplicate, message: "Duplicate value: nodePort 30971 (TCP)" },
  ]);
});

const server = "https://cluster.example:6443";

test.each([
  [
    "ECONNREFUSED",
    "cluster.example:6443 can't be reached: nothing listens at this address (ECONNREFUSED)",
    "Check that the cluster is running and that the kubeconfig has the correct server address",
  ],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "cluster.example:6443 can't be trusted: its certificate isn't signed by the certificate authority in the kubeconfig (SELF_SIGNED_CERT_IN_CHAIN)",
    "Correct certificate-authority-data of the cluster in the kubeconfig, or the server address if it belongs to another cluster",
  ],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "cluster.example:6443 can't be trusted: its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)",
    "Use an address that the certificate contains, or set tls-server-name of the cluster in the kubeconfig to a name that it contains",
  ],
  [
    "CERT_HAS_EXPIRED",
    "cluster.example:6443 can't be trusted: its certificate has expired (CERT_HAS_EXPIRED)",
    "Check the clock of this machine, or renew the certificate of the API server",
  ],
  [
    "CERT_NOT_YET_VALID",
    "cluster.example:6443 can't be trusted: its certificate isn't valid yet (CERT_NOT_YET_VALID)",
    "Check the clock of this machine",
  ],
])("%s is reported with its fix", (code, why, fix) => {
  const { failure } = unreachable(server, Object.assign(new Error("it failed"), { code }));
  expect(apiProblem({ server }, "read the release", failure)).toMatchObject({
    code: "cluster-unreachable",
    what: "qvs can't read the release",
    why,
    fix,
  });
});

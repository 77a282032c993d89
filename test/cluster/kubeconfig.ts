import { stringify } from "yaml";

/** A kubeconfig that needs no other file: one server, one user, one context named `qvs`. */
export function kubeconfig(server: string, authority: string, token: string): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "qvs",
    clusters: [
      {
        name: "qvs",
        cluster: {
          server,
          "certificate-authority-data": Buffer.from(authority).toString("base64"),
        },
      },
    ],
    users: [{ name: "qvs", user: { token } }],
    contexts: [{ name: "qvs", context: { cluster: "qvs", user: "qvs" } }],
  });
}

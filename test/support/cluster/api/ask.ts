import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ClusterAddress } from "../address.ts";
import { kubeconfigPath } from "../components.ts";
import type { User } from "../users.ts";

export interface Question {
  /** The HTTP method. Default: GET. */
  readonly method?: "GET" | "POST" | "DELETE";
  readonly user?: User;
  readonly accept?: string;
  readonly body?: object;
}

/**
 * Sends one request from this process, for requests that tests repeat thousands of times. Starting
 * kubectl costs ten times as much. Rejects with the message of the API server if it denies the
 * request.
 */
export async function ask(
  { directory, server }: Pick<ClusterAddress, "directory" | "server">,
  path: string,
  question: Question = {},
): Promise<string> {
  const { method = "GET", user = "kubectl", accept = "application/json", body } = question;
  const options = {
    method,
    ca: readFileSync(join(directory, "certificates", "apiserver.crt")),
    headers: {
      accept,
      authorization: `Bearer ${tokenOf(directory, user)}`,
      "content-type": "application/json",
    },
  };
  const answer = await send(`${server}${path}`, options, body);
  if (answer.status < 300) return answer.text;
  throw new Error(`${method} ${path} ended with ${answer.status}:\n${answer.text}`);
}

/** Keeps connections open, because a TLS handshake costs five times as much as a request. */
const agent = new Agent({ keepAlive: true });

function send(
  url: string,
  options: object,
  body: object | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent }, (response) => {
      text(response).then(
        (all) => resolve({ status: response.statusCode ?? 0, text: all }),
        reject,
      );
    });
    sent.on("error", (error) => {
      // The server closed the kept connection at this moment, for example for its restart.
      if (sent.reusedSocket && "code" in error && error.code === "ECONNRESET")
        resolve(send(url, options, body));
      else reject(error);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function tokenOf(directory: string, user: User): string {
  const token = /token: (\S+)/.exec(readFileSync(kubeconfigPath(directory, user), "utf8"))?.[1];
  if (token === undefined) throw new Error(`The kubeconfig of ${user} has no token`);
  return token;
}

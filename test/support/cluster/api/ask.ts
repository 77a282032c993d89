import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ClusterAddress } from "../address.ts";
import { kubeconfigPath } from "../components.ts";
import type { User } from "../users.ts";

export interface Question {
  /** GET by default. */
  readonly method?: "GET" | "POST";
  readonly user?: User;
  readonly accept?: string;
  readonly body?: object;
}

/**
 * One request from within this process, for what tests ask thousands of times: to start kubectl costs ten times as much. Rejects
 * with what the API server says when it refuses.
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

function send(
  url: string,
  options: object,
  body: object | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    // Without a connection that is kept: the server may be another one by the next question.
    const sent = request(url, { ...options, agent: false }, (response) => {
      text(response).then(
        (all) => resolve({ status: response.statusCode ?? 0, text: all }),
        reject,
      );
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function tokenOf(directory: string, user: User): string {
  const token = /token: (\S+)/.exec(readFileSync(kubeconfigPath(directory, user), "utf8"))?.[1];
  if (token === undefined) throw new Error(`The kubeconfig of ${user} has no token`);
  return token;
}

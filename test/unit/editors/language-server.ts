import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** A position in a text. Both numbers start at 0. */
interface Place {
  readonly line: number;
  readonly character: number;
}

interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: Place; readonly end: Place };
}

/** A language server as a process, in its own directory. */
export interface LanguageServer {
  /** Opens a file in `folder`, and returns its diagnostics. */
  open(path: string, text: string): Promise<readonly Diagnostic[]>;
  completions(path: string, place: Place): Promise<readonly string[]>;
  /** Returns "" if the server shows nothing. */
  hover(path: string, place: Place): Promise<string>;
  stop(): Promise<void>;
}

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
};

const require = createRequire(import.meta.url);
const yamlServer = join(
  dirname(require.resolve("yaml-language-server/package.json")),
  "bin/yaml-language-server",
);

/** Starts the server of the YAML extensions of VS Code and Neovim. */
export function startYamlServer(
  folder: string,
  schemas: Readonly<Record<string, string>> = {},
): Promise<LanguageServer> {
  // The server doesn't use schemastore.org, because a test has no network.
  const settings = {
    yaml: {
      validate: true,
      hover: true,
      completion: true,
      schemas,
      schemaStore: { enable: false },
    },
  };
  return startServer(folder, "yaml", settings, process.execPath, [yamlServer, "--stdio"]);
}

/** Starts the server of CUE's own extensions. */
export function startCueServer(folder: string, cue: string): Promise<LanguageServer> {
  return startServer(folder, "cue", {}, cue, ["lsp"]);
}

async function startServer(
  folder: string,
  languageId: string,
  settings: Readonly<Record<string, object>>,
  command: string,
  args: readonly string[],
): Promise<LanguageServer> {
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, CUE_REGISTRY: "none" },
  });
  const ended = once(child, "exit");
  const answers = new Map<number, (result: unknown) => void>();
  const diagnosed = new Map<string, (found: readonly Diagnostic[]) => void>();
  readMessages(child.stdout, (message) => {
    const { id, method, params, result } = message;
    if (method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Diagnostic[] };
      diagnosed.get(uri)?.(diagnostics);
    } else if (method !== undefined && id !== undefined) answer(id, method, params);
    else if (id !== undefined) answers.get(id)?.(result);
  });
  let count = 0;
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const request = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++count;
      answers.set(id, resolve);
      send({ id, method, params });
    });
  function answer(id: number, method: string, params: unknown): void {
    const { items = [] } = params as { items?: readonly { section: string }[] };
    const result =
      method === "workspace/configuration" ? items.map(({ section }) => settings[section]) : null;
    send({ id, result });
  }
  const uriOf = (path: string) => pathToFileURL(join(folder, path)).href;
  const at = (path: string, position: Place) => ({ textDocument: { uri: uriOf(path) }, position });
  await request("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: { workspace: { configuration: true }, textDocument: { completion: {} } },
  });
  send({ method: "initialized", params: {} });
  return {
    open: (path, text) => {
      writeFileSync(join(folder, path), text);
      const uri = uriOf(path);
      const found = new Promise<readonly Diagnostic[]>((resolve) => diagnosed.set(uri, resolve));
      const textDocument = { uri, languageId, version: 1, text };
      send({ method: "textDocument/didOpen", params: { textDocument } });
      return found;
    },
    completions: async (path, place) => {
      const list = await request("textDocument/completion", at(path, place));
      return (list as { items: readonly { label: string }[] }).items.map(({ label }) => label);
    },
    hover: async (path, place) => {
      const shown = await request("textDocument/hover", at(path, place));
      return (shown as { contents: { value: string } } | null)?.contents.value ?? "";
    },
    stop: async () => {
      await request("shutdown", {});
      send({ method: "exit" });
      await ended;
    },
  };
}

function readMessages(stream: NodeJS.ReadableStream, hear: (message: Message) => void): void {
  let buffer = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const [head = "", length] =
        /^Content-Length: (\d+)[\s\S]*?\r\n\r\n/.exec(buffer.toString("latin1")) ?? [];
      const end = head.length + Number(length);
      if (length === undefined || buffer.length < end) return;
      const text = buffer.subarray(head.length, end).toString("utf8");
      buffer = buffer.subarray(end);
      hear(JSON.parse(text));
    }
  });
}

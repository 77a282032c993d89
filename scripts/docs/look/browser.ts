import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A page of a headless Chromium, controlled over the DevTools protocol. */
export interface BrowserPage {
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Navigates, and resolves when the page and its resources are loaded. */
  open(url: string): Promise<void>;
  /** Returns the value of an expression, awaited if it is a promise. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

interface Target {
  readonly type: string;
  readonly webSocketDebuggerUrl: string;
}

/** Opens a browser. Throws if Chromium isn't installed; `CHROMIUM` can name another one. */
export async function openBrowser(): Promise<BrowserPage> {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"];
  const child = spawn(
    process.env["CHROMIUM"] ?? "chromium",
    [...flags, "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const { host } = new URL(await debuggerAddress(child));
  const targets = (await (await fetch(`http://${host}/json/list`)).json()) as readonly Target[];
  const target = targets.find(({ type }) => type === "page");
  if (target === undefined) throw new Error("Chromium has no page");
  const page = await connect(target.webSocketDebuggerUrl);
  await page.send("Page.enable");
  return {
    ...page,
    async close() {
      const ended = new Promise((resolve) => child.on("close", resolve));
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function debuggerAddress({ stderr, ...child }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (stderr === null) throw new Error("Chromium has no stderr");
    const lines = createInterface({ input: stderr });
    lines.on("line", (line) => {
      const address = /listening on (ws:\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    lines.on("close", () => reject(new Error(`Chromium did not start: ${child.spawnargs}`)));
  });
}

async function connect(address: string): Promise<Omit<BrowserPage, "close">> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (message: Message) => void>();
  const events = new Map<string, () => void>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(String(data));
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else events.get(message.method ?? "")?.();
  };
  const send = (method: string, params: object = {}) => {
    const id = ++last;
    return new Promise<Record<string, unknown>>((resolve, reject) => {
      waiting.set(id, ({ result = {}, error }) => {
        waiting.delete(id);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  return {
    send,
    async open(url) {
      const loaded = new Promise<void>((resolve) => events.set("Page.loadEventFired", resolve));
      await send("Page.navigate", { url });
      await loaded;
    },
    async evaluate(expression) {
      const options = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await send("Runtime.evaluate", options);
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { readonly value?: unknown }).value;
    },
  };
}

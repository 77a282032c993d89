import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";

/** Checks requests and answers of the fake against GitHub's OpenAPI description. */
export interface Contract {
  /** Returns the fault of a request. Undefined if there is none. */
  checkRequest(request: ApiRequest): string | undefined;
  checkAnswer(request: ApiRequest, answer: unknown): string | undefined;
}

export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

interface Operation {
  readonly method: string;
  readonly path: RegExp;
  readonly query: ReadonlyMap<string, Check>;
  readonly body: Check;
  readonly answer: Check;
}

/** Returns the fault of a value. Undefined if there is none. */
type Check = (value: unknown, what: string) => string | undefined;

interface Description {
  readonly operations: readonly {
    readonly method: string;
    readonly path: string;
    readonly parameters: readonly {
      readonly name: string;
      readonly in: string;
      readonly schema: object;
    }[];
    readonly body: object | null;
    readonly answer: object | null;
  }[];
}

let loaded: Contract | undefined;

/**
 * Returns one contract for all servers of a process. Compiling its schemas takes longer than most
 * tests.
 */
export function loadContract(): Contract {
  loaded ??= readContract();
  return loaded;
}

function readContract(): Contract {
  const text = readFileSync(join(import.meta.dirname, "openapi.json"), "utf8");
  const ajv = new Ajv({
    strict: false,
    coerceTypes: true,
    validateFormats: false,
    code: { optimize: false },
  });
  const operations = (JSON.parse(text) as Description).operations.map((it) => read(it, ajv));
  const find = ({ method, url }: ApiRequest) =>
    operations.find((it) => it.method === method && it.path.test(url.pathname));
  return {
    checkRequest(request) {
      const operation = find(request);
      if (operation === undefined) return `no operation ${request.method} ${request.url.pathname}`;
      return queryProblem(operation, request.url) ?? operation.body(request.body, "body");
    },
    checkAnswer: (request, answer) => find(request)?.answer(answer, "answer"),
  };
}

function read(operation: Description["operations"][number], ajv: Ajv): Operation {
  const query = operation.parameters.filter((parameter) => parameter.in === "query");
  return {
    method: operation.method,
    path: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    query: new Map(
      query.map(({ name, schema }) => [name, checkOf({ properties: { value: schema } }, ajv)]),
    ),
    body: checkOf(operation.body, ajv),
    answer: checkOf(operation.answer, ajv),
  };
}

function queryProblem({ query }: Operation, url: URL): string | undefined {
  for (const [name, value] of url.searchParams) {
    const check = query.get(name);
    if (check === undefined) return `unknown query parameter ${name}`;
    const found = check({ value }, `query parameter ${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns a check that compiles its schema at the first use. Most tests need only a few operations.
 */
function checkOf(schema: object | null, ajv: Ajv): Check {
  let validate: ValidateFunction | undefined;
  return (value, what) => {
    if (schema === null) return undefined;
    validate ??= ajv.compile(schema);
    if (validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return `${what}${error?.instancePath ?? ""} ${error?.message ?? "is wrong"}`;
  };
}

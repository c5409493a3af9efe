import {
  AuthOptionsError,
  parseSettings,
  toScopeNames,
  type Algorithm,
  type AuthOptions,
  type IntrospectionOptions,
  type ScopeNames,
} from "./options.ts";

/** What flags and environment variables can say: text, or nothing. */
export interface AuthValues {
  readonly issuer?: string | undefined;
  readonly resource?: string | undefined;
  readonly audience?: string | undefined;
  /** Separated by commas. */
  readonly algorithms?: string | undefined;
  /** Before `read`, `write` and `admin`. */
  readonly scopePrefix?: string | undefined;
  /** `read=a,write=b,admin=c`, where a prefix does not do. */
  readonly scopeNames?: string | undefined;
  readonly leewaySeconds?: string | undefined;
  readonly introspectionEndpoint?: string | undefined;
  readonly introspectionClientId?: string | undefined;
  readonly introspectionClientSecret?: string | undefined;
}

/** Makes options of plain values, or says which value is wrong. Without a resource, the audience names it. */
export function readAuthOptions(values: AuthValues): AuthOptions {
  const { issuer, audience, scopePrefix, scopeNames, algorithms, leewaySeconds } = values;
  if (!issuer) throw new AuthOptionsError("issuer is missing: name the authorization server");
  const resource = values.resource ?? audience;
  if (!resource) throw new AuthOptionsError("resource is missing: name the address that clients call");
  if (scopePrefix !== undefined && scopeNames !== undefined) {
    throw new AuthOptionsError("scopePrefix and scopeNames exclude each other");
  }
  const introspection = readIntrospection(values);
  const options: AuthOptions = {
    issuer,
    resource,
    ...(audience !== undefined && { audience }),
    ...(algorithms !== undefined && { algorithms: toList(algorithms) as Algorithm[] }),
    ...(scopePrefix !== undefined && { scopeNames: toScopeNames(scopePrefix) }),
    ...(scopeNames !== undefined && { scopeNames: readScopeNames(scopeNames) }),
    ...(leewaySeconds !== undefined && { leewaySeconds: Number(leewaySeconds.trim() || Number.NaN) }),
    ...(introspection && { introspection }),
  };
  parseSettings(options);
  return options;
}

function readIntrospection(values: AuthValues): IntrospectionOptions | undefined {
  const {
    introspectionEndpoint: endpoint,
    introspectionClientId: clientId,
    introspectionClientSecret: clientSecret,
  } = values;
  const given = [endpoint, clientId, clientSecret].filter((value) => value !== undefined);
  if (given.length === 0) return undefined;
  if (endpoint !== undefined && clientId !== undefined && clientSecret !== undefined) {
    return { endpoint, clientId, clientSecret };
  }
  throw new AuthOptionsError(
    "introspectionEndpoint, introspectionClientId and introspectionClientSecret belong together",
  );
}

function readScopeNames(text: string): ScopeNames {
  const names = Object.fromEntries(toList(text).map((entry) => entry.split(/=(.*)/s, 2)));
  const { read, write, admin, ...others } = names as { readonly [name: string]: string | undefined };
  if (read && write && admin && Object.keys(others).length === 0) return { read, write, admin };
  throw new AuthOptionsError("scopeNames must look like read=a,write=b,admin=c");
}

const toList = (text: string): string[] => text.split(",").map((item) => item.trim());

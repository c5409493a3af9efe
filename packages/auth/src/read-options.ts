import {
  AuthOptionsError,
  parseSettings,
  toScopeNames,
  type Algorithm,
  type AuthOptions,
  type IntrospectionOptions,
  type ScopeNames,
} from "./options.ts";

/** Options as flags and environment variables give them. */
export interface AuthValues {
  readonly issuer?: string | undefined;
  readonly resource?: string | undefined;
  readonly audience?: string | undefined;
  /** Separated by commas. */
  readonly algorithms?: string | undefined;
  /** Prepended to `read`, `write` and `admin`. */
  readonly scopePrefix?: string | undefined;
  /** `read=a,write=b,admin=c`, if a prefix is not enough. */
  readonly scopeNames?: string | undefined;
  readonly leewaySeconds?: string | undefined;
  readonly introspectionEndpoint?: string | undefined;
  readonly introspectionClientId?: string | undefined;
  readonly introspectionClientSecret?: string | undefined;
}

/** Turns plain values into options; throws if one is wrong. The audience is the default for the resource. */
export function readAuthOptions(values: AuthValues): AuthOptions {
  const { issuer, audience, scopePrefix, scopeNames, algorithms, leewaySeconds } = values;
  if (!issuer) throw new AuthOptionsError("issuer is missing: name the authorization server");
  const resource = values.resource ?? audience;
  if (!resource) throw new AuthOptionsError("resource is missing: name the address that clients call");
  if (scopePrefix !== undefined && scopeNames !== undefined) {
    throw new AuthOptionsError("scopePrefix and scopeNames cannot be combined");
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
    "introspectionEndpoint, introspectionClientId and introspectionClientSecret must be given together",
  );
}

function readScopeNames(text: string): ScopeNames {
  const names = Object.fromEntries(toList(text).map((entry) => entry.split(/=(.*)/s, 2)));
  const { read, write, admin, ...others } = names as { readonly [name: string]: string | undefined };
  if (read && write && admin && Object.keys(others).length === 0) return { read, write, admin };
  throw new AuthOptionsError("scopeNames must look like read=a,write=b,admin=c");
}

const toList = (text: string): string[] => text.split(",").map((item) => item.trim());

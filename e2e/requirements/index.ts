import { authorizationRequirements } from "./authorization.ts";
import { baseRequirements } from "./base.ts";
import { clientFeaturesRequirements } from "./client-features.ts";
import { httpMessageRequirements } from "./http.ts";
import { httpHeadersRequirements } from "./http-headers.ts";
import { httpSessionsRequirements } from "./http-sessions.ts";
import { inputRequirements } from "./input.ts";
import { lifecycleRequirements } from "./lifecycle.ts";
import { metaRequirements } from "./meta.ts";
import { promptsRequirements } from "./prompts.ts";
import type { Requirement, UnobservableRequirement } from "./requirement.ts";
import { resourcesRequirements } from "./resources.ts";
import { serverUtilitiesRequirements } from "./server-utilities.ts";
import { stdioRequirements } from "./stdio.ts";
import { toolsRequirements } from "./tools.ts";
import { unobservableProtocol } from "./unobservable.ts";
import { unobservableFeatures } from "./unobservable-features.ts";
import { utilitiesRequirements } from "./utilities.ts";

/** Everything a test can check over stdio. */
export const requirements: readonly Requirement[] = [
  ...baseRequirements,
  ...metaRequirements,
  ...lifecycleRequirements,
  ...stdioRequirements,
  ...utilitiesRequirements,
  ...serverUtilitiesRequirements,
  ...toolsRequirements,
  ...resourcesRequirements,
  ...promptsRequirements,
  ...inputRequirements,
  ...clientFeaturesRequirements,
];

/** What only a server behind HTTP can show. */
export const httpRequirements: readonly Requirement[] = [
  ...httpMessageRequirements,
  ...httpSessionsRequirements,
  ...httpHeadersRequirements,
  ...authorizationRequirements,
];

/** Kept for completeness: nothing tests these. */
export const unobservable: readonly UnobservableRequirement[] = [
  ...unobservableProtocol,
  ...unobservableFeatures,
];

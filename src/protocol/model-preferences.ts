/**
 * Choosing a model from what a server prefers. Preferences are advice; a client may overrule them.
 *
 * Specification: Client > Sampling > Model Preferences.
 */
import type { ModelPreferences } from "./types/sampling.ts";

/** A model a client can offer. Scores are comparable among the models given, from 0 (worst) to 1 (best). */
export interface ModelOption {
  name: string;
  /** Other names a hint may mean, such as equivalents of other providers. */
  aliases?: readonly string[];
  /** 1 is the cheapest. */
  cost?: number;
  /** 1 is the fastest. */
  speed?: number;
  /** 1 is the most capable. */
  intelligence?: number;
}

/**
 * The model that suits the preferences best. Hints are tried in order and the first that is part of a
 * model's name (or alias) decides; priorities choose among several matches, or among all models when no
 * hint matches; equal models keep the order in which they were given. `undefined` only without models.
 * Specification: Client > Sampling > Model Preferences [SAMP-028, SAMP-029, SAMP-030].
 *
 * @example
 * ```ts
 * chooseModel([{ name: "big-1" }, { name: "small-1" }], { hints: [{ name: "small" }] })?.name; // "small-1"
 * ```
 */
export function chooseModel<Model extends ModelOption>(
  models: readonly Model[],
  preferences: ModelPreferences = {},
): Model | undefined {
  const candidates = matchHints(models, preferences);
  let best: Model | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const model of candidates) {
    const score = scoreModel(model, preferences);
    if (score > bestScore) {
      best = model;
      bestScore = score;
    }
  }
  return best;
}

function matchHints<Model extends ModelOption>(
  models: readonly Model[],
  preferences: ModelPreferences,
): readonly Model[] {
  for (const hint of preferences.hints ?? []) {
    const wanted = hint.name?.toLowerCase();
    const matches = wanted ? models.filter((model) => namesOf(model).some((name) => name.includes(wanted))) : [];
    if (matches.length > 0) {
      return matches;
    }
  }
  return models;
}

function namesOf(model: ModelOption): string[] {
  return [model.name, ...(model.aliases ?? [])].map((name) => name.toLowerCase());
}

function scoreModel(model: ModelOption, preferences: ModelPreferences): number {
  return (
    (preferences.costPriority ?? 0) * (model.cost ?? 0) +
    (preferences.speedPriority ?? 0) * (model.speed ?? 0) +
    (preferences.intelligencePriority ?? 0) * (model.intelligence ?? 0)
  );
}

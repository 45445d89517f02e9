/** Problems that the user has hidden for the day, kept in this browser. */
interface Hidden {
  readonly day: string;
  readonly keys: readonly string[];
}

const keyOf = (site: string) => `facteur.hidden.${site}`;
const today = () => new Date().toDateString();

/** The keys of problems that are hidden on a site today. */
export function hiddenUntilTomorrow(site: string): readonly string[] {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(site)) ?? 'null') as Hidden | null;
    return kept?.day === today() ? kept.keys : [];
  } catch {
    return [];
  }
}

/** Hides a problem until tomorrow. Returns the keys of all hidden ones. */
export function hideUntilTomorrow(site: string, key: string): readonly string[] {
  const keys = [...hiddenUntilTomorrow(site), key];
  localStorage.setItem(keyOf(site), JSON.stringify({ day: today(), keys } satisfies Hidden));
  return keys;
}

const stepsKeyOf = (site: string) => `facteur.steps.${site}`;

/** Whether the user has hidden the first steps of a site, in this browser. */
export const areStepsHidden = (site: string): boolean => localStorage.getItem(stepsKeyOf(site)) !== null;

/** Hides the first steps of a site; the palette shows them again. */
export const hideSteps = (site: string): void => localStorage.setItem(stepsKeyOf(site), 'hidden');

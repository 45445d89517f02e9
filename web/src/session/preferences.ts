import { useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useAct } from '../parts/use-act.ts';
import { type Me, meQuery, useMe } from './session.tsx';

export type Preferences = Me['preferences'];

export const themes = ['auto', 'light', 'dark'] as const;
export const densities = ['comfortable', 'compact'] as const;

/** Where this device keeps the density of its last user; `public/early.js` reads it before the first paint. */
const keptDensity = 'facteur.density';

/** The preferences of the user, and a function that changes some: at once here, and on the account for all devices. */
export function usePreferences(): readonly [Preferences, (changed: Partial<Preferences>) => void] {
  const { preferences } = useMe();
  const queries = useQueryClient();
  const act = useAct();
  const show = (shown: Partial<Preferences>) =>
    queries.setQueryData<Me>(
      meQuery.queryKey,
      (me) => me && { ...me, preferences: { ...me.preferences, ...shown } },
    );
  const change = (changed: Partial<Preferences>) =>
    act(async () => {
      // What was read before the change must not come back over it.
      await queries.cancelQueries({ queryKey: meQuery.queryKey });
      show(changed);
      try {
        await dataOf(api.PUT('/v1/me', { body: { preferences: changed } }));
      } catch (error) {
        show(preferences);
        throw error;
      }
    });
  return [preferences, change];
}

/** Applies the preferences of the user to the page before it is painted, and keeps them for the next start. */
export function useAppliedPreferences(): void {
  const { theme, density } = useMe().preferences;
  const { setColorScheme } = useMantineColorScheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: Mantine makes another function for each theme
  useLayoutEffect(() => setColorScheme(theme), [theme]);
  useLayoutEffect(() => {
    localStorage.setItem(keptDensity, density);
    document.documentElement.dataset.density = density;
  }, [density]);
}

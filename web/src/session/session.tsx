import { useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf, noteSession } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { forgetForms } from '../parts/kept.ts';

/** Rights in a site, from the least to the most. */
export const rights = ['reader', 'editor', 'sender', 'admin'] as const;
export type Right = (typeof rights)[number];

/** The caller, as the service knows them. */
export const meQuery = {
  queryKey: ['me'],
  queryFn: () => dataOf(api.GET('/v1/me', {})),
  staleTime: 60_000,
};

/** The signed-in user with their sites. */
export type Me = Awaited<ReturnType<(typeof meQuery)['queryFn']>>;

/** Remembers that somebody is signed in: the session's cookie is not visible to scripts, and holds the proof. */
const signedIn = 'facteur.signed-in';

/** The signed-in user, or undefined if nobody is signed in. */
export async function findMe(): Promise<Me | undefined> {
  // Without this, each first visit would begin with a failed request.
  if (localStorage.getItem(signedIn) === null) return undefined;
  try {
    return await queryClient.ensureQueryData(meQuery);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    localStorage.removeItem(signedIn);
    return undefined;
  }
}

/** Begins the session that the service has opened for a user. */
export function enter(me: Me): void {
  noteSession();
  queryClient.setQueryData(meQuery.queryKey, me);
  localStorage.setItem(signedIn, 'yes');
}

export async function signOut(): Promise<void> {
  await dataOf(api.DELETE('/v1/session', {})).catch((error: unknown) => {
    // A session that has ended already is as good as signed out.
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  });
  localStorage.removeItem(signedIn);
  forgetForms();
  queryClient.clear();
}

export interface Site {
  readonly name: string;
  readonly right: Right;
  /** The number of people from which it is typed to confirm a sending; 0 means never. */
  readonly typedConfirmationFrom: number;
  /** Whether the user has a right here. */
  may(right: Right): boolean;
}

/** The site of an address, as far as the user has access to it. */
export function siteOf(me: Me, name: string): Site | undefined {
  const found = me.sites.find((site) => site.name === name);
  const right = me.isAdministrator ? 'admin' : found?.role;
  if (!found || !right) return undefined;
  const { typedConfirmationFrom } = found;
  return {
    name,
    right,
    typedConfirmationFrom,
    may: (needed) => rights.indexOf(right) >= rights.indexOf(needed),
  };
}

const SiteContext = createContext<Site | undefined>(undefined);
export const SiteProvider = SiteContext.Provider;

/** Whether a component is shown inside the frame of a site. */
export const useIsInSite = (): boolean => use(SiteContext) !== undefined;

/** The site that the screen is about. */
export function useSite(): Site {
  const site = use(SiteContext);
  if (!site) throw new Error('useSite outside of a site');
  return site;
}

/** The signed-in user; only below a route that has loaded them. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('useMe before the user is known');
  return data;
}

const kept = 'facteur.site';
export const lastSite = (): string | null => localStorage.getItem(kept);
export const keepLastSite = (name: string): void => localStorage.setItem(kept, name);

import { api, dataOf } from '../api/client.ts';
import type { components, operations } from '../api/schema.d.ts';
import { createTarget } from '../targets/target.ts';

type PeopleFigureName = operations['listStatisticsPeople']['parameters']['query']['figure'];

/** Recipients whose message did not arrive, or of whom it is not known. */
export const unreachedStates = ['refused', 'expired', 'uncertain'] as const;
export type UnreachedState = (typeof unreachedStates)[number];

/** Recipients whose message was deferred and is retried; only while a sending runs. */
type ListedState = UnreachedState | 'deferred';

/** Where the people behind a figure are listed. */
export type PeopleSource = Exclude<PeopleFigureName, 'nbAutoRespondersBounces' | 'nbRefused'> | ListedState;

/** A figure whose people are shown. */
export interface PeopleFigure {
  /** `segment`: the people that segments of a campaign would take. */
  readonly source: PeopleSource | 'segment';
  /** The campaign of the segments. */
  readonly idCampaign?: number;
  /** Only clickers of this link. */
  readonly idLink?: number;
  /** The number and what they did. */
  readonly title: string;
  /** Sendings that the figure is counted in, or positions of segments. */
  readonly ids: readonly number[];
  /** All sendings of so many days until now, instead of those of `ids`. */
  readonly days?: number;
}

/** A figure by its number of people. */
export interface CountedFigure extends Omit<PeopleFigure, 'title' | 'idLink'> {
  readonly count: number;
}

/** A person of a list; of those who were not reached with the reason. */
export interface ListedPerson {
  readonly idSubscriber: number;
  readonly email: string | null;
  readonly reason?: string;
}

const isUnreached = (source: PeopleFigure['source']): source is UnreachedState =>
  (unreachedStates as readonly string[]).includes(source);
const isListed = (source: PeopleFigure['source']): source is ListedState =>
  source === 'deferred' || isUnreached(source);

interface PageWanted extends Pick<PeopleFigure, 'source' | 'idLink' | 'idCampaign'> {
  /** The sending, or the position of the segment. */
  readonly idSent: number;
  readonly after: number;
  readonly limit: number;
}

/** Reads a page of the people of one sending or segment. */
export async function readPeople(
  idsite: string,
  { source, idLink, idCampaign = 0, idSent, after, limit }: PageWanted,
): Promise<readonly ListedPerson[]> {
  const place = { limit, ...(after > 0 && { after }) };
  if (isListed(source))
    return dataOf(
      api.GET('/v1/{idsite}/campaigns/job-sendings/{idSent}/unreached', {
        params: { path: { idsite, idSent }, query: { states: [source], ...place } },
      }),
    );
  if (source === 'segment')
    return dataOf(
      api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}/people', {
        params: { path: { idsite, idCampaign, segmentPosition: idSent }, query: place },
      }),
    );
  return dataOf(
    api.GET('/v1/{idsite}/statistics/people', {
      params: {
        path: { idsite },
        query: { idSent, figure: source, ...place, ...(idLink !== undefined && { idLink }) },
      },
    }),
  );
}

/** Where a page of people begins: a sending, and the id before the first one. */
export interface PeoplePlace {
  /** The index of a sending among those of the figure, or its id in a figure of a period. */
  readonly sending: number;
  readonly after: number;
}

/** People, and the place of the next page. */
interface PeoplePage {
  readonly people: readonly ListedPerson[];
  readonly next: PeoplePlace | undefined;
}

/** Reads a page of the people of a figure over all its sendings. */
export async function readPageOfPeople(
  idsite: string,
  { source, idLink, ids, days }: PeopleFigure,
  { sending, after }: PeoplePlace,
  limit: number,
): Promise<PeoplePage> {
  if (days !== undefined && !isListed(source)) {
    const query = { nbDays: days, figure: source, limit, ...(sending > 0 && { sending, after }) };
    const { people, next } = await dataOf(
      api.GET('/v1/{idsite}/statistics/recent-people', { params: { path: { idsite }, query } }),
    );
    return { people, next: next ?? undefined };
  }
  const idSent = ids[sending];
  if (idSent === undefined) return { people: [], next: undefined };
  const wanted = { source, idSent, after, limit, ...(idLink !== undefined && { idLink }) };
  const people = await readPeople(idsite, wanted);
  // A short page is the last one of its sending; the next sending follows.
  if (people.length === limit) return { people, next: { sending, after: people.at(-1)!.idSubscriber } };
  return { people, next: sending + 1 < ids.length ? { sending: sending + 1, after: 0 } : undefined };
}

/** Lines of a page when people are counted. */
const countedAtOnce = 1_000;

/** Returns the ids of the people behind a figure of one sending, at most `most` rounded up to a page. */
export async function idsOfPeople(
  idsite: string,
  idSent: number,
  source: PeopleSource,
  most: number,
): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const after = ids.at(-1) ?? 0;
    const page = await readPeople(idsite, { source, idSent, after, limit: countedAtOnce });
    ids.push(...page.map(({ idSubscriber }) => idSubscriber));
    if (page.length < countedAtOnce || ids.length >= most) return ids;
  }
}

type Behaviour = components['schemas']['BehaviourFilter'];

/** The behaviour filter for figures that one can select. */
function behaviourOf(source: PeopleFigure['source']): Pick<Behaviour, 'action' | 'filterMpp'> | undefined {
  if (source === 'nbHumanOpeners') return { action: 'Open', filterMpp: true };
  if (source === 'nbOpeners') return { action: 'Open', filterMpp: false };
  if (source === 'nbClickers' || source === 'nbHumanClickers') return { action: 'Click', filterMpp: false };
  return undefined;
}

/** Whether a target can select the people behind a figure: no filter knows single links, periods, bounces or complaints. */
export const canBeTarget = ({ source, idLink, days }: PeopleFigure): boolean =>
  idLink === undefined && days === undefined && (isUnreached(source) || behaviourOf(source) !== undefined);

/** A target, and how many people it has. */
export interface CountedTarget {
  readonly idTarget: number;
  readonly count: number;
}

async function countTarget(idsite: string, idTarget: number): Promise<CountedTarget> {
  const path = { idsite, idTarget };
  const count = await dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/count', { params: { path } }));
  return { idTarget, count };
}

/** Makes a target of the subscribed people behind a figure. */
export async function targetOf(
  idsite: string,
  name: string,
  { source, ids }: PeopleFigure,
): Promise<CountedTarget> {
  const idTarget = await createTarget(idsite, name);
  const params = { path: { idsite } };
  const idSentList = ids.join(';');
  const behaviour = behaviourOf(source);
  await (behaviour
    ? dataOf(
        api.PUT('/v1/{idsite}/targets/filters/behaviour', {
          params,
          body: {
            idTarget,
            isEnabled: true,
            didAnAction: true,
            behaviourType: 'Sent',
            idSentList,
            ...behaviour,
          },
        }),
      )
    : dataOf(
        api.PUT('/v1/{idsite}/targets/filters/sending', {
          params,
          body: {
            idTarget,
            isFilterEnabled: true,
            hasReceived: false,
            idSentList,
            recipientStates: source.charAt(0).toUpperCase() + source.slice(1),
          },
        }),
      ));
  return countTarget(idsite, idTarget);
}

/** Makes a target of the subscribed people who received a message and did not open it. */
export async function targetOfOthers(
  idsite: string,
  name: string,
  ids: readonly number[],
): Promise<CountedTarget> {
  const idTarget = await createTarget(idsite, name);
  const params = { path: { idsite } };
  const idSentList = ids.join(';');
  await dataOf(
    api.PUT('/v1/{idsite}/targets/filters/sending', {
      params,
      body: { idTarget, isFilterEnabled: true, hasReceived: true, idSentList },
    }),
  );
  await dataOf(
    api.PUT('/v1/{idsite}/targets/filters/behaviour', {
      params,
      body: {
        ...{ idTarget, isEnabled: true, didAnAction: false, behaviourType: 'Sent', idSentList },
        ...{ action: 'Open', filterMpp: true },
      },
    }),
  );
  return countTarget(idsite, idTarget);
}

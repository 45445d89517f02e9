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

/** Whether a target can select the people behind a figure: no filter knows single links, bounces or complaints. */
export const canBeTarget = ({ source, idLink }: PeopleFigure): boolean =>
  idLink === undefined && (isUnreached(source) || behaviourOf(source) !== undefined);

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

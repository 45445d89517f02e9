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
  readonly source: PeopleSource;
  /** Only clickers of this link. */
  readonly idLink?: number;
  /** Only people with this reply, as listServerReplies names it. */
  readonly reply?: string;
  /** The number and what they did. */
  readonly title: string;
  readonly count: number;
  /** Sendings that the figure is counted in. */
  readonly ids: readonly number[];
}

/** A person of a list; of those who were not reached with the reason. */
export interface ListedPerson {
  readonly idSubscriber: number;
  readonly email: string | null;
  readonly reason?: string;
}

const isUnreached = (source: PeopleSource): source is UnreachedState =>
  (unreachedStates as readonly string[]).includes(source);
const isListed = (source: PeopleSource): source is ListedState =>
  source === 'deferred' || isUnreached(source);

interface PageWanted extends Pick<PeopleFigure, 'source' | 'idLink' | 'reply'> {
  readonly idSent: number;
  readonly after: number;
  readonly limit: number;
}

/** Reads a page of the people of one sending. */
export async function readPeople(
  idsite: string,
  { source, idLink, reply, idSent, after, limit }: PageWanted,
): Promise<readonly ListedPerson[]> {
  const place = { limit, ...(after > 0 && { after }) };
  if (isListed(source))
    return dataOf(
      api.GET('/v1/{idsite}/campaigns/job-sendings/{idSent}/unreached', {
        params: { path: { idsite, idSent }, query: { states: [source], ...place } },
      }),
    );
  return dataOf(
    api.GET('/v1/{idsite}/statistics/people', {
      params: {
        path: { idsite },
        query: {
          ...{ idSent, figure: source, ...place },
          ...(idLink !== undefined && { idLink }),
          ...(reply !== undefined && { reply }),
        },
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

/** Reads everybody behind a figure, up to `most` rounded up to a page; people of two sendings come twice. */
export async function readEverybody(
  idsite: string,
  { source, idLink, reply, ids }: PeopleFigure,
  most: number,
  read: (count: number) => void = () => undefined,
): Promise<readonly ListedPerson[]> {
  const people: ListedPerson[] = [];
  for (const idSent of ids)
    for (let after = 0; people.length < most; ) {
      const page = await readPeople(idsite, {
        ...{ source, idSent, after, limit: countedAtOnce },
        ...(idLink !== undefined && { idLink }),
        ...(reply !== undefined && { reply }),
      });
      people.push(...page);
      read(people.length);
      if (page.length < countedAtOnce) break;
      after = page.at(-1)!.idSubscriber;
    }
  return people;
}

type Behaviour = components['schemas']['BehaviourFilter'];

/** The behaviour filter for figures that one can select. */
function behaviourOf(source: PeopleSource): Pick<Behaviour, 'action' | 'filterMpp'> | undefined {
  if (source === 'nbHumanOpeners') return { action: 'Open', filterMpp: true };
  if (source === 'nbOpeners') return { action: 'Open', filterMpp: false };
  if (source === 'nbClickers' || source === 'nbHumanClickers') return { action: 'Click', filterMpp: false };
  return undefined;
}

/** People that a target can list by their ids: the condition has at most 200,000 characters. */
const mostListed = 10_000;

/** Whether a filter knows the people behind a figure; none knows single links, bounces or replies. */
const hasFilter = ({ source, idLink }: PeopleFigure): boolean =>
  idLink === undefined && (isUnreached(source) || behaviourOf(source) !== undefined);

/**
 * Whether a target can have the people behind a figure: by a filter, or by their ids if they are few enough. People
 * who unsubscribed or complained are in no target that can be sent to.
 */
export const canBeTarget = (figure: PeopleFigure): boolean =>
  !['nbUnsubs', 'nbSpamComplaints'].includes(figure.source) &&
  (hasFilter(figure) || figure.count <= mostListed);

async function listInTarget(idsite: string, idTarget: number, figure: PeopleFigure): Promise<void> {
  const people = await readEverybody(idsite, figure, mostListed + 1);
  const ids = new Set(people.map(({ idSubscriber }) => idSubscriber));
  const filters = [
    { idField: 7, operator: 'Equal' as const, value: '0' },
    { idField: 0, operator: 'In' as const, value: [...ids].slice(0, mostListed).join(';') },
  ];
  const params = { path: { idsite } };
  await dataOf(
    api.PUT('/v1/{idsite}/targets/filters/field', { params, body: { idTarget, isEnabled: true, filters } }),
  );
}

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
export async function targetOf(idsite: string, name: string, figure: PeopleFigure): Promise<CountedTarget> {
  const { source, ids } = figure;
  const idTarget = await createTarget(idsite, name);
  if (!hasFilter(figure)) {
    await listInTarget(idsite, idTarget, figure);
    return countTarget(idsite, idTarget);
  }
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

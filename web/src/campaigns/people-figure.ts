import { api, dataOf } from '../api/client.ts';
import type { components, operations } from '../api/schema.d.ts';
import { fieldIds } from '../subscribers/fields.ts';
import { createTarget, subscribedOf } from '../targets/create-target.ts';
import { countUnsaved, type UnsavedTarget } from '../targets/unsaved-target.ts';
import { type GrowthFigure, readGrowthPage } from './growth-people.ts';
import { type ProviderFigure, readProviderPage } from './provider-people.ts';

type PeopleFigureName = operations['listStatisticsPeople']['parameters']['query']['figure'];

/** Recipients whose message did not arrive, or of whom it is not known. */
export const unreachedStates = ['refused', 'expired', 'uncertain'] as const;
export type UnreachedState = (typeof unreachedStates)[number];

/** Recipients whose message was deferred and is retried; only while a sending runs. */
type ListedState = UnreachedState | 'deferred';

type ImportKind = operations['listImportPeople']['parameters']['query']['kind'];

type PeriodFigureName = operations['listRecentPeople']['parameters']['query']['figure'];

/** Where the people behind a figure are listed. */
export type PeopleSource = Exclude<PeopleFigureName, 'nbAutoRespondersBounces' | 'nbRefused'> | ListedState;

type SelectedSource = 'segment' | 'target' | 'growth';

/** A figure whose people are shown. */
export interface PeopleFigure {
  /**
   * `segment`: the people that segments of a campaign would take; `target`: those that a target selects; `growth`:
   * those who joined or left; `provider`: recipients of providers over a period; `new` and so on: what a run of an
   * import did with them.
   */
  readonly source: PeopleSource | ImportKind | SelectedSource | 'provider';
  /** Who joined or left. */
  readonly growth?: GrowthFigure;
  readonly provider?: ProviderFigure;
  /** The import of the run. */
  readonly idImport?: number;
  /** The definition that selects the people of a target, or of one of its steps. */
  readonly target?: UnsavedTarget;
  /** Only people among this number of subscribers, those with the lowest ids, on whom an SQL filter was tried. */
  readonly among?: number;
  /** Whether `target` has a part of the steps of a stored target. */
  readonly isStep?: boolean;
  /** The campaign of the segments. */
  readonly idCampaign?: number;
  /** Only clickers of this link. */
  readonly idLink?: number;
  /** Only people with this reply, as listServerReplies names it. */
  readonly reply?: string;
  /** Only recipients of this mailbox provider. */
  readonly idFai?: number | undefined;
  /** The number and what they did. */
  readonly title: string;
  readonly count: number;
  /** Whether only a part of the counted people is listed. */
  readonly isLimited?: boolean;
  /** Sendings that the figure is counted in, positions of segments, a target, or the log of a run. */
  readonly ids: readonly number[];
  /** All sendings of so many days until now, instead of those of `ids`. */
  readonly days?: number;
}

/** A figure by its number of people. */
export interface CountedFigure extends Omit<PeopleFigure, 'title' | 'idLink'> {
  readonly source: PeopleSource;
}

/** The people of a figure, without their number. */
type WantedPeople = Omit<PeopleFigure, 'title' | 'count' | 'isLimited'>;

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
/** Whether the people wait for the result of a sending that runs, so that their list changes each second. */
export const isWaiting = ({ source }: Pick<PeopleFigure, 'source'>): boolean =>
  source === 'nbWaiting' || source === 'nbUntried';
const isOfImport = (source: PeopleFigure['source']): source is ImportKind =>
  source === 'new' || source === 'changed' || source === 'unchanged';
/** Whether the people of all sendings of a period are listed at once. */
const isOfPeriod = (source: PeopleFigure['source']): source is PeriodFigureName & PeopleSource =>
  !(
    isSelected(source) ||
    source === 'nbWithReply' ||
    source === 'provider' ||
    isWaiting({ source }) ||
    isListed(source) ||
    isOfImport(source)
  );
/** Whether the people are selected anew for each page, so that pages are read only as far as somebody looks. */
const isSelected = (source: PeopleFigure['source']): source is SelectedSource =>
  source === 'segment' || source === 'target' || source === 'growth';

/** Whether the people can be limited to those of a provider. */
export const isOfProvider = ({ source }: Pick<PeopleFigure, 'source'>): boolean =>
  source === 'nbWithReply' || isWaiting({ source }) || isOfPeriod(source);

interface PageWanted extends Omit<WantedPeople, 'ids' | 'days' | 'source'> {
  /** The sending, the position of the segment, or the target. */
  readonly id: number;
  readonly source: Exclude<PeopleFigure['source'], ImportKind | 'growth' | 'provider'>;
  readonly after: number;
  readonly limit: number;
  readonly search: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Reads a page of the people of one sending, segment or target. */
async function readPeople(
  idsite: string,
  {
    source,
    idLink,
    reply,
    idFai,
    idCampaign = 0,
    target,
    among,
    id,
    after,
    limit,
    search,
    signal,
  }: PageWanted,
): Promise<readonly ListedPerson[]> {
  const place = { limit, ...(after > 0 && { after }), ...(search !== undefined && { search }) };
  if (isListed(source))
    return dataOf(
      api.GET('/v1/{idsite}/campaigns/job-sendings/{idSent}/unreached', {
        params: { path: { idsite, idSent: id }, query: { states: [source], ...place } },
        signal,
      }),
    );
  if (source === 'target')
    return dataOf(
      api.POST('/v1/{idsite}/targets/people-unsaved', {
        params: { path: { idsite }, query: place },
        body: { ...target!, ...(among !== undefined && { among }) },
        signal,
      }),
    );
  if (source === 'segment')
    return dataOf(
      api.GET('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}/people', {
        params: { path: { idsite, idCampaign, segmentPosition: id }, query: place },
        signal,
      }),
    );
  return dataOf(
    api.GET('/v1/{idsite}/statistics/people', {
      params: {
        path: { idsite },
        query: {
          ...{ idSent: id, figure: source, ...place },
          ...(idLink !== undefined && { idLink }),
          ...(reply !== undefined && { reply }),
          ...(idFai !== undefined && { idFai }),
        },
      },
      signal,
    }),
  );
}

/** Where a page of people begins: a sending, and the id before the first one. */
export interface PeoplePlace {
  /** The id of the sending, the position of the segment, the target, or the log. */
  readonly sending: number;
  readonly after: number;
  /** Of those who joined or left, the cursor. */
  readonly before?: string;
}

/** People, and the place of the next page. */
export interface PeoplePage {
  readonly people: readonly ListedPerson[];
  readonly next: PeoplePlace | undefined;
  /** Whether the service has no list of them, of a run of an import. */
  readonly isMissing?: boolean;
  /** What the figure counts, and how many of them all pages list, where the two can differ. */
  readonly counts?: { readonly counted: number; readonly listed: number };
}

export interface PageOptions {
  /** Undefined means the first page. */
  readonly place: PeoplePlace | undefined;
  readonly limit: number;
  /** Only people who have this text. */
  readonly search?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads a page of the people of a figure over all its sendings. */
export async function readPageOfPeople(
  idsite: string,
  { ids, days, ...figure }: WantedPeople,
  { place, limit, search, signal }: PageOptions,
): Promise<PeoplePage> {
  const { source, growth, provider } = figure;
  const found = search !== undefined && { search };
  if (source === 'growth')
    return readGrowthPage(idsite, growth!, { before: place?.before, limit, ...found, signal });
  if (source === 'provider') return readProviderPage(idsite, provider!, { place, limit, ...found, signal });
  if (days !== undefined && isOfPeriod(source)) {
    const query = { nbDays: days, figure: source, limit, ...found, ...place };
    const { people, next } = await dataOf(
      api.GET('/v1/{idsite}/statistics/recent-people', { params: { path: { idsite }, query }, signal }),
    );
    return { people, next: next ?? undefined };
  }
  const { sending = ids[0], after = 0 } = place ?? {};
  if (sending === undefined) return { people: [], next: undefined };
  if (isOfImport(source)) {
    const query = { kind: source, log: sending, after, limit, ...found };
    const path = { idsite, idImport: figure.idImport! };
    const { isRecorded, people, next } = await dataOf(
      api.GET('/v1/{idsite}/imports/{idImport}/people', { params: { path, query }, signal }),
    );
    return { people, isMissing: !isRecorded, next: next === null ? undefined : { sending, after: next } };
  }
  const people = await readPeople(idsite, { ...figure, source, id: sending, after, limit, search, signal });
  // A short page is the last one of its sending; the next sending follows.
  if (people.length === limit) return { people, next: { sending, after: people.at(-1)!.idSubscriber } };
  const following = ids[ids.indexOf(sending) + 1];
  return { people, next: following === undefined ? undefined : { sending: following, after: 0 } };
}

/** Lines of a page when all people are read. */
const readAtOnce = 1_000;

interface ReadingOptions {
  /** Ends the reading, which then fails. */
  readonly signal?: AbortSignal;
  /** Learns how many are read so far. */
  readonly read?: (count: number) => void;
}

/** Reads everybody behind a figure, up to `most` rounded up to a page; people of two sendings come twice. */
export async function readEverybody(
  idsite: string,
  wanted: WantedPeople,
  most: number,
  { signal, read }: ReadingOptions = {},
): Promise<readonly ListedPerson[]> {
  const all: ListedPerson[] = [];
  let place: PeoplePlace | undefined;
  do {
    const page = await readPageOfPeople(idsite, wanted, { place, limit: readAtOnce, signal });
    signal?.throwIfAborted();
    all.push(...page.people);
    read?.(all.length);
    place = page.next;
  } while (place && all.length < most);
  return all;
}

/** Returns the ids of the people behind a figure of one sending, at most `most` rounded up to a page. */
export async function idsOfPeople(
  idsite: string,
  idSent: number,
  source: PeopleSource,
  most: number,
): Promise<number[]> {
  const people = await readEverybody(idsite, { source, ids: [idSent] }, most);
  return people.map(({ idSubscriber }) => idSubscriber);
}

type Behaviour = components['schemas']['BehaviourFilter'];

/**
 * The behaviour filter for figures that one can select. The one of clicks also selects machines, so that it is used only
 * where people who clicked are too many to be listed by their ids.
 */
function behaviourOf({
  source,
  count,
}: Pick<PeopleFigure, 'source' | 'count'>): Pick<Behaviour, 'action' | 'filterMpp'> | undefined {
  if (source === 'nbHumanOpeners') return { action: 'Open', filterMpp: true };
  if (source === 'nbOpeners') return { action: 'Open', filterMpp: false };
  if (source === 'nbClickers' || (source === 'nbHumanClickers' && count > mostListed))
    return { action: 'Click', filterMpp: false };
  return undefined;
}

/** People that a target can list by their ids: the condition has at most 200,000 characters. */
export const mostListed = 10_000;

/** A figure has more people than a target can list. */
export class TooManyPeople extends Error {}

/** Whether a filter knows the people behind a figure; none knows single links, providers, periods, bounces or replies. */
const hasFilter = ({ source, count, idLink, idFai, days }: PeopleFigure): boolean =>
  idLink === undefined &&
  idFai === undefined &&
  days === undefined &&
  (isUnreached(source) || behaviourOf({ source, count }) !== undefined);

/** People of a target or of the growth that a file can have: each page of 1,000 selects all of them again. */
export const mostExported = 50_000;

/** Whether people are drawn again each time that they are read. */
const isDrawn = ({ target }: PeopleFigure): boolean =>
  target?.isRandomMode === true && (Boolean(target.maxSelect) || (target.pctSelect ?? 100) < 100);

/** Why the people behind a figure are not exported page by page; undefined if they are. */
export function exportFault(figure: PeopleFigure): 'isDrawn' | 'areTooMany' | undefined {
  if (figure.source !== 'target' && figure.source !== 'growth') return undefined;
  if (isDrawn(figure)) return 'isDrawn';
  return figure.count > mostExported ? 'areTooMany' : undefined;
}

/**
 * Whether a target can have the people behind a figure: by the filters of a step, by a filter, or by their ids if they
 * are few enough. People who unsubscribed or complained are in no target that can be sent to, and those of a segment
 * or of a whole target have theirs.
 */
export const canBeTarget = (figure: PeopleFigure): boolean =>
  figure.isStep === true ||
  (isForTarget(figure) && (hasFilter(figure) || figure.isLimited === true || figure.count <= mostListed));

/** Whether only the number of the people behind a figure keeps them out of a target. */
export const areTooManyForTarget = (figure: PeopleFigure): boolean =>
  isForTarget(figure) && !canBeTarget(figure);

const isForTarget = ({ source }: PeopleFigure): boolean =>
  !isSelected(source) && source !== 'nbUnsubs' && source !== 'nbSpamComplaints';

/** The ids of the people behind a figure. @throws TooManyPeople */
async function idsForTarget(idsite: string, figure: PeopleFigure, signal: AbortSignal): Promise<Set<number>> {
  const people = await readEverybody(idsite, figure, mostListed + 1, { signal });
  // The figure can have grown since its number was read.
  if (people.length > mostListed) throw new TooManyPeople();
  return new Set(people.map(({ idSubscriber }) => idSubscriber));
}

/** A target, and how many people it has. */
export interface CountedTarget {
  readonly idTarget: number;
  readonly count: number;
}

/** Counts the subscribed people of a target, and stores it. A target that cannot be counted is not stored. */
async function storeCounted(idsite: string, name: string, target: UnsavedTarget): Promise<CountedTarget> {
  const { count } = await countUnsaved(idsite, subscribedOf(target));
  return { idTarget: await createTarget(idsite, name, target), count };
}

/** Makes a target of the subscribed people behind a figure. @throws TooManyPeople */
export async function targetOf(
  idsite: string,
  name: string,
  figure: PeopleFigure,
  signal: AbortSignal,
): Promise<CountedTarget> {
  if (figure.target) return storeCounted(idsite, name, figure.target);
  if (hasFilter(figure)) return storeCounted(idsite, name, { filters: filterOf(figure) });
  const value = [...(await idsForTarget(idsite, figure, signal))].join(';');
  const filters = [{ idField: fieldIds.id, operator: 'In' as const, value }];
  return storeCounted(idsite, name, { filters: { field: { filters } } });
}

/** The filter that knows the people behind a figure. */
function filterOf({ source, count, ids }: PeopleFigure): UnsavedTarget['filters'] {
  const idSentList = ids.join(';');
  const behaviour = behaviourOf({ source, count });
  if (behaviour) return { behaviour: { didAnAction: true, behaviourType: 'Sent', idSentList, ...behaviour } };
  const recipientStates = source.charAt(0).toUpperCase() + source.slice(1);
  return { sending: { hasReceived: false, idSentList, recipientStates } };
}

/** Makes a target of the subscribed people who received a message and did not open it. */
export function targetOfOthers(idsite: string, name: string, ids: readonly number[]): Promise<CountedTarget> {
  const idSentList = ids.join(';');
  const acts = { didAnAction: false, action: 'Open', filterMpp: true } as const;
  return storeCounted(idsite, name, {
    filters: {
      behaviour: { ...acts, behaviourType: 'Sent', idSentList },
      sending: { hasReceived: true, idSentList },
    },
  });
}

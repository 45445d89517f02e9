import type { Field } from '../fields/field.ts';
import type { behaviourFilter } from '../targets/filters/behaviour-filter.ts';
import type { emailPressureFilter } from '../targets/filters/email-pressure-filter.ts';
import type { sendingFilter } from '../targets/filters/sending-filter.ts';
import type { thematicFilter } from '../targets/filters/thematic-filter.ts';
import { parisDayNumber, parisWeekNumber, type Row } from './field-filter-model.ts';

/** A site as plain data: what filters look at, written down before it is stored, for models that know no SQL. */
export interface ModelSite {
  readonly fields: ReadonlyMap<number, Field>;
  readonly subscribers: readonly ModelSubscriber[];
  readonly thematics: readonly number[];
  readonly campaigns: readonly ModelCampaign[];
  readonly sents: readonly ModelSent[];
  readonly links: readonly ModelLink[];
  readonly hits: readonly ModelHit[];
  readonly receptions: readonly ModelReception[];
}

export interface ModelSubscriber {
  readonly id: number;
  /** Values by field id. */
  readonly row: Row;
}

export interface ModelCampaign {
  readonly idCampaign: number;
  readonly type: string;
  readonly idThematic: number | null;
}

export interface ModelSent {
  readonly idSent: number;
  readonly idJob: number;
  readonly idCampaign: number;
  readonly isTest: boolean;
}

export interface ModelLink {
  readonly idLink: number;
  readonly idThematic: number | null;
}

export interface ModelHit {
  readonly idSent: number;
  readonly idSubscriber: number;
  /** A fetch of the pixel; any other hit is a click. */
  readonly isPixel: boolean;
  /** Whether mail privacy protection made it. */
  readonly isMpp: boolean;
  readonly idLink: number | null;
  readonly at: Date;
}

/** A final state of a recipient, in a range that is done or not. */
export interface ModelReception {
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly isAccepted: boolean;
  readonly at: Date;
}

/**
 * The meaning of the four filters on activity, in plain TypeScript: definitions as the API receives them, people one
 * by one, facts one by one. Only their types are taken from the code that makes SQL of them.
 */
export type Selects = (idSubscriber: number) => boolean;

type DefinitionOf<F extends { parse(given: never, site: never): unknown }> = Parameters<F['parse']>[0];
type Behaviour = DefinitionOf<typeof behaviourFilter>;
type Pressure = DefinitionOf<typeof emailPressureFilter>;
type Acts = Pick<Behaviour, 'action' | 'filterMpp'>;

/** One act of a subscriber. */
type Act = Pick<ModelHit, 'idSent' | 'idLink' | 'at'>;

export function selectsByBehaviour(filter: Behaviour, site: ModelSite, now: Date): Selects {
  const isDone = (acts: readonly Act[]) => isSoOften(filter, acts.length);
  return (idSubscriber) => {
    const acts = actsOf(filter, site, idSubscriber);
    const inSents = (ids: readonly number[]) => acts.filter((act) => ids.includes(act.idSent));
    if (filter.behaviourType === 'NbDays') {
      return did(filter, isDone(acts.filter((act) => isInLastDays(act.at, filter.nbDaysAgo ?? 0, now))));
    }
    const named =
      filter.behaviourType === 'Sent'
        ? ids(filter.idSentList).map((id) => [id])
        : ids(filter.idCampaign).map((id) => sentsOf(site, id));
    return did(
      filter,
      combine(filter.combinaisonMode, named, (sents) => isDone(inSents(sents))),
    );
  };
}

export function selectsByThematic(
  filter: DefinitionOf<typeof thematicFilter>,
  site: ModelSite,
  now: Date,
): Selects {
  return (idSubscriber) => {
    const acts = actsOf(filter, site, idSubscriber).filter((act) =>
      isInLastDays(act.at, filter.fromNbDays ?? 0, now),
    );
    const isDone = (thematics: readonly number[]) =>
      isSoOften(filter, acts.filter((act) => thematics.includes(thematicOf(filter, site, act) ?? 0)).length);
    const named = (filter.idsThematics ?? []).map((id) => [id]);
    return did(filter, combine(filter.combinaison, named, isDone));
  };
}

/** The thematic of the link of a click, or of the campaign of an open. */
export function thematicOf({ action }: Acts, site: ModelSite, { idSent, idLink }: Act) {
  if (action === 'Open') return campaignOf(site, idSent)?.idThematic;
  return site.links.find((link) => link.idLink === idLink)?.idThematic;
}

export function campaignOf(site: ModelSite, idSent: number): ModelCampaign | undefined {
  const sent = site.sents.find((one) => one.idSent === idSent);
  return site.campaigns.find((one) => one.idCampaign === sent?.idCampaign);
}

export function selectsBySending(filter: DefinitionOf<typeof sendingFilter>, site: ModelSite): Selects {
  return (idSubscriber) => {
    const received = new Set(receptionsOf(site, idSubscriber).map((one) => one.idSent));
    const named = filter.idSentList
      ? ids(filter.idSentList).map((id) => [id])
      : ids(filter.idsCampaigns).map((id) => sentsOf(site, id));
    return (
      filter.hasReceived ===
      combine(filter.combinaisonMode, named, (sents) => sents.some((id) => received.has(id)))
    );
  };
}

export function selectsByPressure(filter: Pressure, site: ModelSite, now: Date): Selects {
  const types = filter.campaignType ? filter.campaignType.split(';') : [];
  return (idSubscriber) => {
    const messages = receptionsOf(site, idSubscriber).filter(
      ({ idSent, at }) =>
        (types.length === 0 || types.includes(campaignOf(site, idSent)?.type ?? '')) &&
        isInPeriod(filter, at, now),
    );
    const [number, other] = [messages.length, filter.nbRequest!];
    return {
      GREATER: number > other,
      GREATER_EQUAL: number >= other,
      EQUAL: number === other,
      LOWER_EQUAL: number <= other,
      LOWER: number < other,
    }[filter.operatorRequest!];
  };
}

function isInPeriod(filter: Pressure, at: Date, now: Date): boolean {
  if (filter.type === 'Today') return isInLastDays(at, 0, now);
  if (filter.type === 'Since' && filter.timeType === 2) return isInLastDays(at, filter.fromTime ?? 0, now);
  if (filter.type === 'Since')
    return (
      at.getTime() >= now.getTime() - (filter.fromTime ?? 0) * 3_600_000 &&
      parisDayNumber(at) <= parisDayNumber(now)
    );
  if (filter.type === 'Between')
    return at >= new Date(filter.betweenStartDate ?? '') && at < new Date(filter.betweenEndDate ?? '');
  const { today, thisWeek, lastWeek, twoWeeksAgo, threeWeeksAgo, fourWeeksAgo } = filter;
  const weeksAgo = parisWeekNumber(now) - parisWeekNumber(at);
  const isInWeek = [thisWeek, lastWeek, twoWeeksAgo, threeWeeksAgo, fourWeeksAgo][weeksAgo] ?? false;
  return isInWeek || ((today ?? false) && isInLastDays(at, 0, now));
}

type Facts = Pick<ModelSite, 'hits' | 'receptions'> & {
  readonly sents: readonly { readonly idSent: number; readonly isTest: boolean }[];
};

/** The clicks, or the opens, of a subscriber in real sendings. */
export function actsOf({ action, filterMpp }: Acts, site: Facts, idSubscriber: number): Act[] {
  const his = site.hits.filter((hit) => hit.idSubscriber === idSubscriber && isReal(site, hit.idSent));
  const clicks = his.filter((hit) => !hit.isPixel);
  if (action === 'Click') return clicks;
  const pixels = his.filter((hit) => hit.isPixel && !(filterMpp && hit.isMpp));
  const sentsWithout = [...new Set(clicks.map((click) => click.idSent))].filter(
    (idSent) => !pixels.some((pixel) => pixel.idSent === idSent),
  );
  return [
    ...pixels,
    ...sentsWithout.map((idSent) => first(clicks.filter((click) => click.idSent === idSent))),
  ];
}

function first(hits: readonly ModelHit[]): ModelHit {
  return hits.reduce((before, hit) => (hit.at < before.at ? hit : before));
}

/** The messages that a subscriber received in real sendings. */
export function receptionsOf(site: Facts, idSubscriber: number) {
  return site.receptions.filter(
    (one) => one.idSubscriber === idSubscriber && one.isAccepted && isReal(site, one.idSent),
  );
}

function isReal(site: Facts, idSent: number): boolean {
  return site.sents.some((sent) => sent.idSent === idSent && !sent.isTest);
}

function sentsOf(site: ModelSite, idCampaign: number): number[] {
  return site.sents
    .filter((sent) => sent.idCampaign === idCampaign && !sent.isTest)
    .map((sent) => sent.idSent);
}

const did = ({ didAnAction }: Behaviour, isSo: boolean) => isSo === (didAnAction ?? true);

function ids(list: string | null | undefined): number[] {
  return (list ?? '').split(';').map(Number);
}

/** Over all that is named together, or over each by itself. */
function combine(
  mode: Behaviour['combinaisonMode'],
  named: readonly (readonly number[])[],
  isSo: (together: readonly number[]) => boolean,
): boolean {
  return mode === 'Intersection' ? named.every(isSo) : isSo([...new Set(named.flat())]);
}

function isSoOften({ nbTime, nbTimeAndDayOperator }: Behaviour, times: number): boolean {
  const [a = 1, b = a] = (nbTime ?? '1').split(';').map(Number);
  return {
    AtLeast: times >= a,
    Exactly: times === a,
    AtMost: times <= a,
    Between: times >= a && times <= b,
  }[nbTimeAndDayOperator ?? 'AtLeast'];
}

/** Whether an instant is today, or one of `days` days before, in Paris. */
function isInLastDays(at: Date, days: number, now: Date): boolean {
  const ago = parisDayNumber(now) - parisDayNumber(at);
  return ago >= 0 && ago <= days;
}

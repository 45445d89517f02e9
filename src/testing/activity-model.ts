import type { ModelHit, ModelSite } from './model-site.ts';
import { parisDayNumber, parisWeekNumber } from './paris-model.ts';

/**
 * The meaning of the four filters on activity, in plain TypeScript: definitions as the API receives them, people one
 * by one, facts one by one. Nothing is taken from the code that makes SQL of them.
 */
export type Selects = (idSubscriber: number) => boolean;

type Combination = 'Union' | 'Intersection' | null | undefined;

export interface ModelActs {
  readonly didAnAction?: boolean | null;
  readonly action: 'Click' | 'Open';
  readonly filterMpp?: boolean | null;
  readonly nbTime?: string | null;
  readonly nbTimeAndDayOperator?: 'AtLeast' | 'Exactly' | 'AtMost' | 'Between' | null;
}

export interface ModelBehaviour extends ModelActs {
  readonly behaviourType: 'NbDays' | 'Sent' | 'Campaign';
  readonly nbDaysAgo?: number | null;
  readonly idSentList?: string | null;
  readonly idCampaign?: string | null;
  readonly combinaisonMode?: Combination;
}

/** One act of a subscriber. */
interface Act {
  readonly idSent: number;
  readonly idLink: number | null;
  readonly at: Date;
}

export function selectsByBehaviour(filter: ModelBehaviour, site: ModelSite, now: Date): Selects {
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

export interface ModelThematic extends ModelActs {
  readonly fromNbDays: number;
  readonly combinaison?: Combination;
  readonly idsThematics: readonly number[];
}

export function selectsByThematic(filter: ModelThematic, site: ModelSite, now: Date): Selects {
  return (idSubscriber) => {
    const acts = actsOf(filter, site, idSubscriber).filter((act) =>
      isInLastDays(act.at, filter.fromNbDays, now),
    );
    const thematicOf = ({ idSent, idLink }: Act) => {
      if (filter.action === 'Click') return site.links.find((link) => link.idLink === idLink)?.idThematic;
      const sent = site.sents.find((one) => one.idSent === idSent);
      return site.campaigns.find((one) => one.idCampaign === sent?.idCampaign)?.idThematic;
    };
    const isDone = (thematics: readonly number[]) =>
      isSoOften(filter, acts.filter((act) => thematics.includes(thematicOf(act) ?? 0)).length);
    const named = filter.idsThematics.map((id) => [id]);
    return did(filter, combine(filter.combinaison, named, isDone));
  };
}

export interface ModelSending {
  readonly hasReceived: boolean;
  readonly combinaisonMode?: Combination;
  readonly idSentList?: string | null;
  readonly idsCampaigns?: string | null;
}

export function selectsBySending(filter: ModelSending, site: ModelSite): Selects {
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

export interface ModelPressure {
  readonly campaignType?: string | null;
  readonly operatorRequest: 'GREATER' | 'GREATER_EQUAL' | 'EQUAL' | 'LOWER_EQUAL' | 'LOWER';
  readonly nbRequest: number;
  readonly type: 'Today' | 'Since' | 'Between' | 'ByWeek';
  readonly today?: boolean | null;
  readonly thisWeek?: boolean | null;
  readonly lastWeek?: boolean | null;
  readonly twoWeeksAgo?: boolean | null;
  readonly threeWeeksAgo?: boolean | null;
  readonly fourWeeksAgo?: boolean | null;
  readonly betweenStartDate?: string | null;
  readonly betweenEndDate?: string | null;
  readonly fromTime?: number | null;
  readonly timeType?: number | null;
}

export function selectsByPressure(filter: ModelPressure, site: ModelSite, now: Date): Selects {
  const types = filter.campaignType ? filter.campaignType.split(';') : [];
  return (idSubscriber) => {
    const messages = receptionsOf(site, idSubscriber).filter(({ idSent, at }) => {
      const sent = site.sents.find((one) => one.idSent === idSent);
      const type = site.campaigns.find((one) => one.idCampaign === sent?.idCampaign)?.type;
      return (types.length === 0 || types.includes(type ?? '')) && isInPeriod(filter, at, now);
    });
    const [number, other] = [messages.length, filter.nbRequest];
    switch (filter.operatorRequest) {
      case 'GREATER':
        return number > other;
      case 'GREATER_EQUAL':
        return number >= other;
      case 'EQUAL':
        return number === other;
      case 'LOWER_EQUAL':
        return number <= other;
      case 'LOWER':
        return number < other;
    }
  };
}

function isInPeriod(filter: ModelPressure, at: Date, now: Date): boolean {
  switch (filter.type) {
    case 'Today':
      return isInLastDays(at, 0, now);
    case 'Since':
      if (filter.timeType === 2) return isInLastDays(at, filter.fromTime ?? 0, now);
      return (
        at.getTime() >= now.getTime() - (filter.fromTime ?? 0) * 3_600_000 &&
        parisDayNumber(at) <= parisDayNumber(now)
      );
    case 'Between':
      return at >= new Date(filter.betweenStartDate ?? '') && at < new Date(filter.betweenEndDate ?? '');
    case 'ByWeek': {
      const { today, thisWeek, lastWeek, twoWeeksAgo, threeWeeksAgo, fourWeeksAgo } = filter;
      const weeksAgo = parisWeekNumber(now) - parisWeekNumber(at);
      const isInWeek = [thisWeek, lastWeek, twoWeeksAgo, threeWeeksAgo, fourWeeksAgo][weeksAgo] ?? false;
      return isInWeek || ((today ?? false) && isInLastDays(at, 0, now));
    }
  }
}

/** The clicks, or the opens, of a subscriber in real sendings. */
function actsOf({ action, filterMpp }: ModelActs, site: ModelSite, idSubscriber: number): Act[] {
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

function receptionsOf(site: ModelSite, idSubscriber: number) {
  return site.receptions.filter(
    (one) => one.idSubscriber === idSubscriber && one.isAccepted && isReal(site, one.idSent),
  );
}

function isReal(site: ModelSite, idSent: number): boolean {
  return site.sents.some((sent) => sent.idSent === idSent && !sent.isTest);
}

function sentsOf(site: ModelSite, idCampaign: number): number[] {
  return site.sents
    .filter((sent) => sent.idCampaign === idCampaign && !sent.isTest)
    .map((sent) => sent.idSent);
}

const did = ({ didAnAction }: ModelActs, isSo: boolean) => isSo === (didAnAction ?? true);

function ids(list: string | null | undefined): number[] {
  return (list ?? '').split(';').map(Number);
}

/** Over all that is named together, or over each by itself. */
function combine(
  mode: Combination,
  named: readonly (readonly number[])[],
  isSo: (together: readonly number[]) => boolean,
): boolean {
  return mode === 'Intersection' ? named.every(isSo) : isSo([...new Set(named.flat())]);
}

function isSoOften({ nbTime, nbTimeAndDayOperator }: ModelActs, times: number): boolean {
  const [a = 1, b = a] = (nbTime ?? '1').split(';').map(Number);
  switch (nbTimeAndDayOperator ?? 'AtLeast') {
    case 'AtLeast':
      return times >= a;
    case 'Exactly':
      return times === a;
    case 'AtMost':
      return times <= a;
    case 'Between':
      return times >= a && times <= b;
  }
}

/** Whether an instant is today, or one of `days` days before, in Paris. */
function isInLastDays(at: Date, days: number, now: Date): boolean {
  const ago = parisDayNumber(now) - parisDayNumber(at);
  return ago >= 0 && ago <= days;
}

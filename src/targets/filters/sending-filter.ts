import { receivedSents } from '../../activity/activity-selection.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Bool, Maybe, Text } from '../../platform/http/schema.ts';
import { combination, groupsOf } from './acts.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';
import { frenchNames, heldOf, idsIn, mustBeEmpty, mustHave, parseIds } from './named-records.ts';
import { idSentNames, namesOfSents, parseSents } from './named-sents.ts';
import { lastDays } from './time-window.ts';

/** How long after its last sending a campaign can be named. */
const maxCampaignDays = 60;

const members = {
  hasReceived: Bool('false selects exactly those whom true does not'),
  combinaisonMode: combination('Union: one of the sents or campaigns at least; Intersection: each of them'),
  idSentList: Maybe(
    Text(4_000, "Ids of sents (idSent) of real jobs, separated by ';'; empty with idsCampaigns"),
  ),
  idSentNames,
  idsCampaigns: Maybe(
    Text(
      4_000,
      `Ids of campaigns that were sent in the last ${maxCampaignDays} days, separated by ';'; what they send later ` +
        'counts too. Empty with idSentList',
    ),
  ),
};
type Receiving = Given<typeof members>;

/** Who received certain sents or campaigns, or did not. */
export const sendingFilter = filterKind({
  kind: 'sending',
  title: 'SendingFilter',
  french: 'Filtre d’envoi',
  members,
  enabledMember: 'isFilterEnabled',
  isEnabledRequired: true,
  flag: 'hasSendingFilter',
  absent: {
    hasReceived: false,
    combinaisonMode: null,
    idSentList: null,
    idSentNames: null,
    idsCampaigns: null,
  },
  example: { hasReceived: false, combinaisonMode: 'Union', idsCampaigns: '1' },

  needs: ({ idSentList, idsCampaigns }) => ({ idsSent: idsIn(idSentList), idsCampaign: idsIn(idsCampaigns) }),

  parse(given, site) {
    const sents = given.idSentList?.trim();
    const campaigns = given.idsCampaigns?.trim();
    if (!sents && !campaigns) {
      if (!given.hasReceived && given.combinaisonMode !== 'Intersection') return undefined;
      throw invalid('idSentList: it or idsCampaigns must hold at least one id');
    }
    if (sents) mustBeEmpty(given, ['idsCampaigns'], 'since idSentList names sents');
    return {
      hasReceived: given.hasReceived ?? false,
      combinaisonMode: given.combinaisonMode ?? 'Union',
      idSentList: sents ? parseSents(sents, site).join(';') : null,
      idsCampaigns: campaigns ? parseCampaigns(campaigns, site).join(';') : null,
    };
  },

  compile({ hasReceived, combinaisonMode, idSentList, idsCampaigns }, site) {
    const named = idSentList
      ? idsIn(idSentList).map((id) => [heldOf(site.sents, id, 'sent', 'sending').idSent])
      : idsIn(idsCampaigns).map((id) => heldOf(site.campaigns, id, 'campaign', 'sending').idsSent);
    const condition = receivedSents(site.t, groupsOf(named, combinaisonMode));
    return hasReceived ? sql`(${condition})` : sql`(not (${condition}))`;
  },

  computed: ({ idSentList }, site) => ({ idSentNames: namesOfSents(idSentList, site) }),

  describe: (definition, site) => `<ul><li>${inFrench(definition, site)}</li></ul>`,
});

function parseCampaigns(list: string, { campaigns, now }: FilterSite): number[] {
  const member = 'idsCampaigns';
  const ids = parseIds(list, member);
  mustHave(campaigns, ids, 'Campaign', member);
  const { from } = lastDays(now, maxCampaignDays);
  for (const id of ids) {
    const lastSentAt = campaigns.get(id)?.lastSentAt ?? null;
    if (lastSentAt !== null && lastSentAt >= from) continue;
    const last = lastSentAt === null ? 'never was' : `was last sent on ${lastSentAt.toISOString()}`;
    throw invalid(
      `${member}: campaign ${id} must have been sent in the last ${maxCampaignDays} days; it ${last}`,
    );
  }
  return ids;
}

function inFrench(
  { hasReceived, combinaisonMode, idSentList, idsCampaigns }: Receiving,
  site: FilterSite,
): string {
  const isSents = Boolean(idSentList);
  const ids = idsIn(isSents ? idSentList : idsCampaigns);
  const names = frenchNames(ids, (id) => (isSents ? site.sents : site.campaigns).get(id)?.name);
  if (ids.length === 1) {
    return `${hasReceived ? 'a' : 'n’a pas'} reçu ${isSents ? 'l’envoi' : 'la campagne'} ${names}`;
  }
  const things = isSents ? 'envois' : 'campagnes';
  const feminine = isSents ? '' : 'e';
  if (combinaisonMode === 'Intersection') {
    return hasReceived
      ? `a reçu chacun${feminine} des ${things} ${names}`
      : `n’a pas reçu tou${isSents ? 's' : 'tes'} les ${things} ${names}`;
  }
  return hasReceived
    ? `a reçu au moins un${feminine} des ${things} ${names}`
    : `n’a reçu aucun${feminine} des ${things} ${names}`;
}

import { notReachedBySents, receivedSents } from '../../activity/activity-selection.ts';
import { type ReceiptState, receiptStates } from '../../activity/receipt.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Bool, IdOf, Maybe, Text } from '../../platform/http/schema.ts';
import { combination, groupsOf } from './acts.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';
import { frenchNames, heldOf, idsIn, mustBeEmpty, mustHave, parseIds } from './named-records.ts';
import { idSentNames, namesOfSents, parseSents } from './named-sents.ts';
import { lastDays } from './time-window.ts';

/** How long after its last sending a campaign can be named. */
const maxCampaignDays = 60;

const members = {
  hasReceived: Bool('false selects exactly the subscribers that true does not'),
  combinaisonMode: combination(
    'Union: at least one of the sendings or campaigns; Intersection: each of them',
  ),
  idSentList: Maybe(
    IdOf(
      'sent',
      Text(
        4_000,
        "Ids of sendings within jobs (idSent), without test mailings, separated by ';'; empty with idsCampaigns",
      ),
    ),
  ),
  idSentNames,
  idsCampaigns: Maybe(
    IdOf(
      'campaign',
      Text(
        4_000,
        `Ids of campaigns that were sent in the last ${maxCampaignDays} days, separated by ';'; what they send later ` +
          'counts too. Empty with idSentList',
      ),
    ),
  ),
  recipientStates: Maybe(
    Text(
      100,
      "Why they did not receive it: Refused, Expired or Uncertain, or several of them separated by ';'. Selects only " +
        'recipients with one of these final states that none of the other named sendings reached. Requires ' +
        'hasReceived false. Default: no restriction, which also selects subscribers that were sent nothing',
    ),
  ),
};
type Receiving = Given<typeof members>;

/** Selects by receipt: who received certain sendings or campaigns, or did not. */
export const sendingFilter = filterKind({
  kind: 'sending',
  title: 'SendingFilter',
  french: 'Filtre d’envoi',
  members,
  enabledMember: 'isFilterEnabled',
  isEnabledRequired: true,
  flag: 'hasSendingFilter',
  absent: { hasReceived: false },
  example: { hasReceived: false, combinaisonMode: 'Union', idsCampaigns: '1' },

  needs: ({ idSentList, idsCampaigns }) => ({ idsSent: idsIn(idSentList), idsCampaign: idsIn(idsCampaigns) }),

  parse(given, site) {
    const sents = given.idSentList?.trim();
    const campaigns = given.idsCampaigns?.trim();
    const states = parseStates(given);
    if (!sents && !campaigns) {
      if (!states && !given.hasReceived && given.combinaisonMode !== 'Intersection') return undefined;
      throw invalid('idSentList: this or idsCampaigns must contain at least one id');
    }
    if (sents) mustBeEmpty(given, ['idsCampaigns'], 'since idSentList names sendings');
    return {
      hasReceived: given.hasReceived ?? false,
      combinaisonMode: given.combinaisonMode ?? 'Union',
      idSentList: sents ? parseSents(sents, site).join(';') : null,
      idsCampaigns: campaigns ? parseCampaigns(campaigns, site).join(';') : null,
      recipientStates: states,
    };
  },

  compile({ hasReceived, combinaisonMode, idSentList, idsCampaigns, recipientStates }, site) {
    const named = idSentList
      ? idsIn(idSentList).map((id) => [heldOf(site.sents, id, 'sending', 'sending').idSent])
      : idsIn(idsCampaigns).map((id) => heldOf(site.campaigns, id, 'campaign', 'sending').idsSent);
    const groups = groupsOf(named, combinaisonMode);
    if (recipientStates) return sql`(${notReachedBySents(site.t, groups, statesIn(recipientStates))})`;
    const condition = receivedSents(site.t, groups);
    return hasReceived ? sql`(${condition})` : sql`(not (${condition}))`;
  },

  computed: ({ idSentList }, site) => ({ idSentNames: namesOfSents(idSentList, site) }),

  describe: (definition, site) => `<ul><li>${inFrench(definition, site)}</li></ul>`,
});

const stateWords: ReadonlyMap<string, { readonly state: ReceiptState; readonly french: string }> = new Map([
  ['Refused', { state: receiptStates.refused, french: 'refusé' }],
  ['Expired', { state: receiptStates.expired, french: 'expiré' }],
  ['Uncertain', { state: receiptStates.uncertain, french: 'incertain' }],
]);

const wordsIn = (list: string): string[] => list.split(';').map((word) => word.trim());
const statesIn = (list: string): ReceiptState[] => wordsIn(list).map((word) => stateWords.get(word)!.state);

/** The distinct states to store; null if there are none. @throws 400 for an unknown word. */
function parseStates({ recipientStates, hasReceived }: Receiving): string | null {
  const list = recipientStates?.trim();
  if (!list) return null;
  const words = [...new Set(wordsIn(list))];
  const unknown = words.find((word) => !stateWords.has(word));
  if (unknown !== undefined)
    throw invalid(
      `recipientStates: must be ${[...stateWords.keys()].join(', ')}, separated by ';', ` +
        `and not '${unknown.slice(0, 50)}'`,
    );
  if (hasReceived)
    throw invalid('recipientStates: says why a message was not received; set hasReceived to false');
  return words.join(';');
}

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

function inFrench(definition: Receiving, site: FilterSite): string {
  const sentence = receivedInFrench(definition, site);
  if (!definition.recipientStates) return sentence;
  const words = wordsIn(definition.recipientStates).map((word) => stateWords.get(word)!.french);
  const states = words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} ou ${words.at(-1)}`;
  return `${sentence} (message ${states})`;
}

function receivedInFrench(
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

import { notReachedBySents, receivedSents } from '../../activity/activity-selection.ts';
import { type ReceiptState, receiptStates } from '../../activity/receipt.ts';
import type { Language } from '../../fields/period.ts';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Bool, IdOf, Maybe, Text } from '../../platform/http/schema.ts';
import { combination, groupsOf } from './acts.ts';
import { type FilterSite, filterKind, type Given } from './filter-kind.ts';
import { heldOf, idsIn, mustBeEmpty, mustHave, namesInWords, parseIds } from './named-records.ts';
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
  heading: { fr: 'Filtre d’envoi', en: 'What they received' },
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

  describe: (definition, site, language) => `<ul><li>${inWords(definition, site, language)}</li></ul>`,
});

type StateWords = Readonly<Record<Language, string>> & { readonly state: ReceiptState };
const stateWords: ReadonlyMap<string, StateWords> = new Map([
  ['Refused', { state: receiptStates.refused, fr: 'refusé', en: 'rejected' }],
  ['Expired', { state: receiptStates.expired, fr: 'expiré', en: 'expired' }],
  ['Uncertain', { state: receiptStates.uncertain, fr: 'incertain', en: 'uncertain' }],
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

interface ReceivedWords {
  or: string;
  named(isSent: boolean, names: string): Readonly<Record<'one' | 'each' | 'any', YesNo>>;
}
type YesNo = readonly [received: string, notReceived: string];
const receivedWords: Readonly<Record<Language, ReceivedWords>> = {
  fr: {
    or: ' ou ',
    named(isSent, names) {
      const one = `reçu ${isSent ? 'l’envoi' : 'la campagne'} ${names}`;
      const [things, feminine, all] = isSent ? ['envois', '', 'tous'] : ['campagnes', 'e', 'toutes'];
      return {
        one: [`a ${one}`, `n’a pas ${one}`],
        each: [
          `a reçu chacun${feminine} des ${things} ${names}`,
          `n’a pas reçu ${all} les ${things} ${names}`,
        ],
        any: [
          `a reçu au moins un${feminine} des ${things} ${names}`,
          `n’a reçu aucun${feminine} des ${things} ${names}`,
        ],
      };
    },
  },
  en: {
    or: ' or ',
    named(isSent, names) {
      const thing = isSent ? 'sending' : 'campaign';
      return {
        one: [`received the ${thing} ${names}`, `did not receive the ${thing} ${names}`],
        each: [`received each of the ${thing}s ${names}`, `did not receive all of the ${thing}s ${names}`],
        any: [`received at least one of the ${thing}s ${names}`, `received none of the ${thing}s ${names}`],
      };
    },
  },
};

function inWords(definition: Receiving, site: FilterSite, language: Language): string {
  const { hasReceived, combinaisonMode, idSentList, idsCampaigns, recipientStates } = definition;
  const isSent = Boolean(idSentList);
  const ids = idsIn(isSent ? idSentList : idsCampaigns);
  const names = namesInWords(ids, (id) => (isSent ? site.sents : site.campaigns).get(id)?.name, language);
  const scope = ids.length === 1 ? 'one' : combinaisonMode === 'Intersection' ? 'each' : 'any';
  const { or, named } = receivedWords[language];
  const sentence = named(isSent, names)[scope][hasReceived ? 0 : 1];
  if (!recipientStates) return sentence;
  const words = wordsIn(recipientStates).map((word) => stateWords.get(word)![language]);
  const listed = [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(or);
  return `${sentence} (message ${listed})`;
}

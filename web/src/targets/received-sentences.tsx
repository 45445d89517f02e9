import { useWords } from '../words/words.tsx';
import { ChosenCampaigns, ChosenSendings, partsOf } from './chosen.tsx';
import type { Filter } from './filter-kinds.ts';
import { parisInput, parisInstant } from './paris-time.ts';
import { Check, More, numberFrom, Pick, Typed, typedFrom } from './sentence.tsx';

interface SentenceProps<F> {
  readonly filter: F;
  readonly change: (next: Partial<F>) => void;
}

/** The list `a;b` with or without one of its words. */
const withWord = (list: string | null | undefined, word: string, isIn: boolean): string | null =>
  [...partsOf(list).filter((one) => one !== word), ...(isIn ? [word] : [])].join(';') || null;

/** What they received: certain campaigns or sendings, or not. */
export function SendingSentence({ filter, change }: SentenceProps<Filter<'sending'>>) {
  const { sending } = useWords().words.targets.filters;
  const { hasReceived, combinaisonMode, idSentList, idSentNames, idsCampaigns, recipientStates } = filter;
  // An empty list says which of the two is being chosen.
  const isSent = idSentList !== null && idSentList !== undefined;
  const states = partsOf(recipientStates);
  return (
    <>
      <div className="sentence">
        <Pick
          member="hasReceived"
          label={sending.what}
          value={hasReceived ? 'yes' : 'no'}
          choices={sending.choices}
          pick={(next) =>
            change({ hasReceived: next === 'yes', ...(next === 'yes' && { recipientStates: null }) })
          }
        />
        {partsOf(isSent ? idSentList : idsCampaigns).length > 1 && (
          <Pick
            member="combinaisonMode"
            label={sending.mode}
            value={combinaisonMode ?? 'Union'}
            choices={{ Union: sending.any, Intersection: sending.all }}
            pick={(next) => change({ combinaisonMode: next })}
          />
        )}
        <Pick
          member="idsCampaigns"
          label={sending.which}
          value={isSent ? 'sendings' : 'campaigns'}
          choices={sending.kinds}
          pick={(next) =>
            change({
              idSentNames: null,
              ...(next === 'sendings'
                ? { idSentList: '', idsCampaigns: null }
                : { idSentList: null, idsCampaigns: '' }),
            })
          }
        />
        {isSent ? (
          <ChosenSendings
            member="idSentList"
            ids={idSentList}
            names={idSentNames}
            set={(next) => change({ idSentList: next, idSentNames: null })}
          />
        ) : (
          <ChosenCampaigns
            member="idsCampaigns"
            ids={idsCampaigns}
            set={(next) => change({ idsCampaigns: next })}
          />
        )}
      </div>
      {!isSent && <p className="label text-3">{sending.hint}</p>}
      {!hasReceived && (
        <More isUsed={states.length > 0}>
          <fieldset className="filter-checks">
            <legend className="small">{sending.states}</legend>
            {(Object.keys(sending.state) as (keyof typeof sending.state)[]).map((state) => (
              <Check
                key={state}
                member="recipientStates"
                label={sending.state[state]}
                value={states.includes(state)}
                set={(isIn) => change({ recipientStates: withWord(recipientStates, state, isIn) })}
              />
            ))}
          </fieldset>
        </More>
      )}
    </>
  );
}

type Pressure = Filter<'emailPressure'>;

/** The properties that say when, each as it is if its type does not use it. */
const never: Partial<Pressure> = {
  today: null,
  thisWeek: null,
  lastWeek: null,
  twoWeeksAgo: null,
  threeWeeksAgo: null,
  fourWeeksAgo: null,
  betweenStartDate: null,
  betweenEndDate: null,
  fromTime: null,
  timeType: null,
};

const dayMs = 86_400_000;

/** What a way to say when begins with. */
const begins: Readonly<Record<NonNullable<Pressure['type']>, () => Partial<Pressure>>> = {
  Today: () => ({}),
  Since: () => ({ fromTime: 30, timeType: 2 }),
  Between: () => ({
    betweenStartDate: new Date(Date.now() - 30 * dayMs).toISOString(),
    betweenEndDate: new Date().toISOString(),
  }),
  ByWeek: () => ({ thisWeek: true }),
};

/** Pressure: how many messages they received over a time. */
export function PressureSentence({ filter, change }: SentenceProps<Pressure>) {
  const { emailPressure } = useWords().words.targets.filters;
  const { operatorRequest, nbRequest, campaignType } = filter;
  const type = filter.type ?? 'Since';
  const types = partsOf(campaignType);
  return (
    <>
      <div className="sentence">
        {emailPressure.received}
        <Pick
          member="operatorRequest"
          label={emailPressure.operator}
          value={operatorRequest ?? 'LOWER'}
          choices={emailPressure.operators}
          pick={(next) => change({ operatorRequest: next })}
        />
        <Typed
          member="nbRequest"
          type="number"
          label={emailPressure.number}
          value={typedFrom(nbRequest)}
          set={(next) => change({ nbRequest: numberFrom(next) })}
        />
        {emailPressure.messages}
        <Pick
          member="type"
          label={emailPressure.when}
          value={type}
          choices={emailPressure.whenChoices}
          pick={(next) => change({ ...never, type: next, ...begins[next]() })}
        />
        <When filter={filter} change={change} />
      </div>
      <More isUsed={types.length > 0}>
        <fieldset className="filter-checks">
          <legend className="small">{emailPressure.types}</legend>
          {(Object.keys(emailPressure.type) as (keyof typeof emailPressure.type)[]).map((name) => (
            <Check
              key={name}
              member="campaignType"
              label={emailPressure.type[name]}
              value={types.includes(name)}
              set={(isIn) => change({ campaignType: withWord(campaignType, name, isIn) })}
            />
          ))}
        </fieldset>
      </More>
    </>
  );
}

function When({ filter, change }: SentenceProps<Pressure>) {
  const { emailPressure } = useWords().words.targets.filters;
  const { type, fromTime, timeType, betweenStartDate, betweenEndDate } = filter;
  if (type === 'Since')
    return (
      <>
        <Typed
          member="fromTime"
          type="number"
          label={emailPressure.length}
          value={typedFrom(fromTime)}
          set={(next) => change({ fromTime: numberFrom(next) })}
        />
        <Pick
          member="timeType"
          label={emailPressure.unit}
          value={timeType === 1 ? '1' : '2'}
          choices={{ '1': emailPressure.units[1], '2': emailPressure.units[2] }}
          pick={(next) => change({ timeType: next === '1' ? 1 : 2 })}
        />
      </>
    );
  if (type === 'Between')
    return (
      <>
        <Typed
          member="betweenStartDate"
          type="datetime-local"
          label={emailPressure.from}
          value={parisInput(betweenStartDate)}
          set={(next) => change({ betweenStartDate: parisInstant(next) })}
        />
        {emailPressure.and}
        <Typed
          member="betweenEndDate"
          type="datetime-local"
          label={emailPressure.to}
          value={parisInput(betweenEndDate)}
          set={(next) => change({ betweenEndDate: parisInstant(next) })}
        />
        <span className="text-3">{emailPressure.paris}</span>
      </>
    );
  if (type !== 'ByWeek') return null;
  return (
    <fieldset className="filter-checks">
      <legend className="hidden">{emailPressure.whenChoices.ByWeek}</legend>
      {(Object.keys(emailPressure.weeks) as (keyof typeof emailPressure.weeks)[]).map((week) => (
        <Check
          key={week}
          member="thisWeek"
          label={emailPressure.weeks[week]}
          value={filter[week] === true}
          set={(isIn) => change({ [week]: isIn })}
        />
      ))}
    </fieldset>
  );
}

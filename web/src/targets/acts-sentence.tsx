import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { Chosen, ChosenCampaigns, ChosenSendings, partsOf } from './chosen.tsx';
import type { Filter } from './filter-kinds.ts';
import { Check, numberFrom, Pick, Typed, typedFrom } from './sentence.tsx';

type Behaviour = Filter<'behaviour'>;
interface Acts {
  readonly didAnAction?: Behaviour['didAnAction'];
  readonly action?: Behaviour['action'];
  readonly nbTime?: Behaviour['nbTime'];
  readonly nbTimeAndDayOperator?: Behaviour['nbTimeAndDayOperator'];
  readonly filterMpp?: Behaviour['filterMpp'];
}

interface PartProps<F> {
  readonly filter: F;
  readonly change: (next: Partial<F>) => void;
}

/** What people did: opened, clicked, or neither. */
function Act({ filter, change }: PartProps<Acts>) {
  const { acts } = useWords().words.targets.filters;
  const isClick = filter.action === 'Click';
  const did = filter.didAnAction !== false;
  return (
    <Pick
      member="action"
      label={acts.what}
      value={did ? (isClick ? 'click' : 'open') : isClick ? 'notClick' : 'notOpen'}
      choices={acts.choices}
      pick={(next) =>
        change({
          action: next === 'click' || next === 'notClick' ? 'Click' : 'Open',
          didAnAction: next === 'click' || next === 'open',
        })
      }
    />
  );
}

/** How often they did it. */
function Times({ filter, change }: PartProps<Acts>) {
  const { acts } = useWords().words.targets.filters;
  const operator = filter.nbTimeAndDayOperator ?? 'AtLeast';
  const [first = '', second = ''] = (filter.nbTime ?? '1').split(';');
  const isBetween = operator === 'Between';
  return (
    <>
      <Pick
        member="nbTimeAndDayOperator"
        label={acts.howOften}
        value={operator}
        choices={acts.times}
        pick={(next) =>
          change({ nbTimeAndDayOperator: next, nbTime: next === 'Between' ? `${first};${first}` : first })
        }
      />
      <Typed
        member="nbTime"
        type="number"
        label={acts.number}
        value={first}
        set={(next) => change({ nbTime: isBetween ? `${next};${second}` : next })}
      />
      {isBetween && (
        <>
          {acts.and}
          <Typed
            member="nbTime"
            type="number"
            label={acts.most}
            value={second}
            set={(next) => change({ nbTime: `${first};${next}` })}
          />
        </>
      )}
      <span>{acts.afterNumber}</span>
    </>
  );
}

function WithoutMpp({ filter, change }: PartProps<Acts>) {
  const { acts } = useWords().words.targets.filters;
  if (filter.action === 'Click') return null;
  return (
    <Check
      member="filterMpp"
      label={acts.withoutMpp}
      value={filter.filterMpp === true}
      set={(filterMpp) => change({ filterMpp })}
    />
  );
}

interface OverProps {
  readonly member: string;
  readonly value: 'Union' | 'Intersection' | null | undefined;
  readonly set: (value: 'Union' | 'Intersection') => void;
}

/** Whether the times are counted over all of several things, or in each. */
function Over({ member, value, set }: OverProps) {
  const { acts } = useWords().words.targets.filters;
  return (
    <Pick member={member} label={acts.over} value={value ?? 'Union'} choices={acts.overChoices} pick={set} />
  );
}

/** Behaviour: opened or clicked, over some days or in certain campaigns or sendings. */
export function BehaviourSentence({ filter, change }: PartProps<Filter<'behaviour'>>) {
  const { behaviour } = useWords().words.targets.filters;
  const type = filter.behaviourType ?? 'NbDays';
  const ids = type === 'Sent' ? filter.idSentList : filter.idCampaign;
  const nowhere = { nbDaysAgo: null, idSentList: null, idCampaign: null, idSentNames: null };
  return (
    <>
      <div className="sentence">
        <Act filter={filter} change={change} />
        <Times filter={filter} change={change} />
        <Pick
          member="behaviourType"
          label={behaviour.where}
          value={type}
          choices={behaviour.choices}
          pick={(behaviourType) =>
            change({
              ...nowhere,
              behaviourType,
              combinaisonMode: null,
              ...(behaviourType === 'NbDays' && { nbDaysAgo: 90 }),
            })
          }
        />
        {type === 'NbDays' && (
          <>
            <Typed
              member="nbDaysAgo"
              type="number"
              label={behaviour.days}
              value={typedFrom(filter.nbDaysAgo)}
              set={(days) => change({ nbDaysAgo: numberFrom(days) })}
            />
            {behaviour.afterDays}
          </>
        )}
        {type === 'Campaign' && (
          <ChosenCampaigns
            member="idCampaign"
            ids={filter.idCampaign}
            set={(idCampaign) => change({ idCampaign })}
          />
        )}
        {type === 'Sent' && (
          <ChosenSendings
            member="idSentList"
            ids={filter.idSentList}
            names={filter.idSentNames}
            set={(idSentList) => change({ idSentList, idSentNames: null })}
          />
        )}
        {type !== 'NbDays' && partsOf(ids).length > 1 && (
          <Over
            member="combinaisonMode"
            value={filter.combinaisonMode}
            set={(combinaisonMode) => change({ combinaisonMode })}
          />
        )}
      </div>
      <WithoutMpp filter={filter} change={change} />
    </>
  );
}

/** Subject: opened campaigns or clicked links about certain thematics. */
export function ThematicSentence({ filter, change }: PartProps<Filter<'thematic'>>) {
  const { thematic, behaviour } = useWords().words.targets.filters;
  const site = useSite();
  const { data } = useQuery({
    queryKey: ['thematics', site.name, 'all'],
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/thematics', {
          params: {
            path: { idsite: site.name },
            query: { 'filter.sortBy': 'Name', 'filter.order': 'ASC', 'filter.limit': 1000 },
          },
        }),
      ),
  });
  const chosen = (filter.idsThematics ?? []).map(String);
  return (
    <>
      <div className="sentence">
        <Act filter={filter} change={change} />
        {filter.action === 'Click' ? thematic.links : thematic.campaigns}
        <Chosen
          member="idsThematics"
          label={thematic.thematics}
          placeholder={thematic.choose}
          choices={(data?.items ?? []).map(({ idThematic, name }) => ({
            value: String(idThematic),
            label: name,
          }))}
          chosen={chosen}
          set={(ids) => change({ idsThematics: ids.map(Number) })}
        />
        <Times filter={filter} change={change} />
        {chosen.length > 1 && (
          <Over
            member="combinaison"
            value={filter.combinaison}
            set={(combinaison) => change({ combinaison })}
          />
        )}
        <span>{thematic.inLast}</span>
        <Typed
          member="fromNbDays"
          type="number"
          label={behaviour.days}
          value={typedFrom(filter.fromNbDays)}
          set={(days) => change({ fromNbDays: numberFrom(days) ?? 0 })}
        />
        {behaviour.afterDays}
      </div>
      {data?.items.length === 0 && <p className="note">{thematic.none}</p>}
      <WithoutMpp filter={filter} change={change} />
    </>
  );
}

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { MessageFrame } from '../parts/message-frame.tsx';
import { StateOf } from '../parts/state.tsx';
import { Empty, Failed, Loading, Page } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, stateOf } from './campaign.ts';
import { partQuery, type sendingsQuery } from './campaign-query.ts';
import { duplicateCampaign } from './duplicate.ts';
import { newestOf } from './live-run.tsx';
import { People, type PeopleFigure } from './people.tsx';
import './report.css';

type Sendings = Awaited<ReturnType<ReturnType<typeof sendingsQuery>['queryFn']>>;

/** The figures of a newly sent campaign still change. */
const renewMs = 10_000;

interface ReportProps {
  readonly campaign: Campaign;
  readonly sendings: Sendings;
}

/** The results of a campaign over all its sendings; every figure opens its people. */
export function Report({ campaign, sendings }: ReportProps) {
  const { words, format } = useWords();
  const { report } = words;
  const site = useSite();
  const statistics = useQuery({
    ...partQuery(site.name, campaign.id, 'statistics', () =>
      dataOf(
        api.GET('/v1/{idsite}/statistics/campaign', {
          params: { path: { idsite: site.name }, query: { idCampaign: campaign.id } },
        }),
      ),
    ),
    refetchInterval: renewMs,
  });
  const [figure, setFigure] = useState<PeopleFigure>();
  const ended = newestOf(sendings)
    .map(({ endDate }) => endDate)
    .at(-1);
  return (
    <Page
      title={campaign.parameters.name}
      crumb={
        <>
          <Link to="/$site/campaigns" params={{ site: site.name }} search={{}}>
            {words.campaigns.title}
          </Link>
          <span aria-hidden>›</span>
          <span>{campaign.id}</span>
        </>
      }
      sub={
        <>
          <StateOf state={stateOf(campaign)} />
          {ended && <span>{format.moment(ended)}</span>}
          <span>{campaign.parameters.subject}</span>
        </>
      }
      actions={site.may('editor') && <Duplicate campaign={campaign} />}
    >
      {statistics.error && !statistics.data && (
        <Failed error={statistics.error} retry={() => void statistics.refetch()} />
      )}
      {statistics.isPending && <Loading />}
      {statistics.data && <Funnel statistics={statistics.data} open={setFigure} />}
      <div className="halves">
        <section className="card" style={{ overflow: 'hidden' }}>
          <div className="card-head">
            <h2>{report.message}</h2>
          </div>
          <div style={{ borderTop: '1px solid var(--f-line)', height: 480 }}>
            <MessageFrame title={words.composer.previewTitle} html={campaign.htmlContent ?? ''} />
          </div>
        </section>
        <Links campaign={campaign} />
      </div>
      <People sendings={sendings} figure={figure} close={() => setFigure(undefined)} />
    </Page>
  );
}

interface Statistics {
  readonly nbAddressToSend: number;
  readonly nbAddressSent: number;
  readonly nbHardBounces: number;
  readonly nbSoftBounces: number;
  readonly nbDnsErrorsBounces: number;
  readonly nbSpamBounces: number;
  readonly nbHumanOpeners: number;
  readonly nbOpeners: number;
  readonly nbClickers: number;
  readonly nbUnsubs: number;
  readonly nbSpamComplaints: number;
}

interface Step {
  readonly name: string;
  readonly value: number;
  readonly colour: string;
  readonly figure?: PeopleFigure['figure'];
  readonly note?: string | undefined;
}

/** From the audience to those who left: number, share of the delivered, and what was lost on the way. */
function Funnel({
  statistics,
  open,
}: {
  readonly statistics: Statistics;
  readonly open: (of: PeopleFigure) => void;
}) {
  const { words, format } = useWords();
  const { report } = words;
  const lost =
    statistics.nbHardBounces +
    statistics.nbSoftBounces +
    statistics.nbDnsErrorsBounces +
    statistics.nbSpamBounces;
  const delivered = Math.max(0, statistics.nbAddressSent - lost);
  const machines = statistics.nbOpeners - statistics.nbHumanOpeners;
  const note = (say: (count: string) => string, count: number) =>
    count > 0 ? say(format.count(count)) : undefined;
  const steps: readonly Step[] = [
    { name: report.audience, value: statistics.nbAddressToSend, colour: 'var(--f-c1-2)' },
    {
      name: report.sent,
      value: statistics.nbAddressSent,
      colour: 'var(--f-c1-2)',
      note: note(report.notSent, statistics.nbAddressToSend - statistics.nbAddressSent),
    },
    {
      name: report.delivered,
      value: delivered,
      colour: 'var(--f-c1-2)',
      note: note(report.bounced, lost),
    },
    {
      name: report.opened,
      value: statistics.nbHumanOpeners,
      colour: 'var(--f-c1)',
      figure: 'nbHumanOpeners',
      note: note(report.machines, machines),
    },
    { name: report.clicked, value: statistics.nbClickers, colour: 'var(--f-c3)', figure: 'nbClickers' },
    {
      name: report.unsubscribed,
      value: statistics.nbUnsubs,
      colour: 'var(--f-c5)',
      figure: 'nbUnsubs',
      note: note(report.complaints, statistics.nbSpamComplaints),
    },
  ];
  const whole = statistics.nbAddressToSend || 1;
  return (
    <section className="card" aria-label={report.funnel}>
      <ul className="funnel">
        {steps.map(({ name, value, colour, figure, note }) => (
          <li key={name}>
            <span className="strong">{name}</span>
            <span className="funnel-value">
              {figure && value > 0 ? (
                <button
                  type="button"
                  className="fig"
                  onClick={() =>
                    open({
                      figure,
                      title: report.people[figure](words.campaigns.people(format.count(value), value === 1)),
                    })
                  }
                >
                  {format.count(value)}
                </button>
              ) : (
                format.count(value)
              )}
            </span>
            <span className="funnel-share text-2">{figure ? format.share(value, delivered) : ''}</span>
            <span className="meter" aria-hidden>
              <i style={{ width: `${(100 * value) / whole}%`, background: colour }} />
            </span>
            <span className="label text-3">{note}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Links({ campaign }: { readonly campaign: Campaign }) {
  const { words, format } = useWords();
  const { report } = words;
  const site = useSite();
  const { data, error, refetch } = useQuery(
    partQuery(site.name, campaign.id, 'links', () =>
      dataOf(
        api.GET('/v1/{idsite}/statistics/links', {
          params: { path: { idsite: site.name }, query: { idCampaign: campaign.id } },
        }),
      ),
    ),
  );
  return (
    <section className="card flush">
      <div className="card-head">
        <h2>{report.links}</h2>
      </div>
      {error && <Failed error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <Empty title={report.noLinks} />}
      {data && data.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>{report.link}</th>
              <th className="num">{report.clicked}</th>
              <th className="num">{report.clicks}</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ idLink, url, nbClickers, nbClicks }) => (
              <tr key={idLink}>
                <td className="title" style={{ overflowWrap: 'anywhere' }}>
                  {url}
                </td>
                <td className="num" data-label={report.clicked}>
                  {format.count(nbClickers)}
                </td>
                <td className="num" data-label={report.clicks}>
                  {format.count(nbClicks)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Duplicate({ campaign }: { readonly campaign: Campaign }) {
  const { words } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const refusal = useRefusal();
  const duplicate = () =>
    duplicateCampaign(site.name, campaign.id, words.campaigns.copyOf(campaign.parameters.name)).then(
      (id) =>
        navigate({
          to: '/$site/campaigns/$idCampaign',
          params: { site: site.name, idCampaign: String(id) },
        }),
      (error: unknown) => toast({ text: refusal(error) }),
    );
  return <Button onClick={() => void duplicate()}>{words.campaigns.duplicate}</Button>;
}

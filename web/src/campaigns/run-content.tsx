import { Button } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { MessageFrame } from '../parts/message-frame.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { type Campaign, stateOf } from './campaign.ts';
import { type Segment, segmentsQuery } from './campaign-query.ts';
import { useReportWords, useRunWords } from './report-words.ts';
import { useCampaignActs } from './use-campaign-acts.ts';

/** What a running campaign sends, and to whom: to read only, and to duplicate. */
export function RunContent({ campaign }: { readonly campaign: Campaign }) {
  const { words } = useWords();
  const run = useRunWords();
  const site = useSite();
  const { duplicate } = useCampaignActs();
  const [duplicateText, readText] =
    stateOf(campaign) === 'InProgress' ? [run.readOnly, run.isBeingSent] : [run.readOnlyNow, run.isFixedNow];
  return (
    <>
      <div className="note ink report-note">
        <span className="grow">{site.may('editor') ? duplicateText : readText}</span>
        {site.may('editor') && (
          <Button
            size="xs"
            leftSection={<IconCopy size={14} aria-hidden />}
            onClick={() => duplicate([campaign])}
          >
            {words.campaigns.duplicate}
          </Button>
        )}
      </div>
      <div className="report-halves">
        <Message campaign={campaign} />
        <SegmentsOf idCampaign={campaign.id} />
      </div>
    </>
  );
}

function Message({ campaign }: { readonly campaign: Campaign }) {
  const { words } = useWords();
  const report = useReportWords();
  const { composer, campaignParts } = words;
  const { htmlContent, textContent, preheader, parameters } = campaign;
  return (
    <section className="card" style={{ overflow: 'hidden' }} aria-label={report.message}>
      <div className="card-head">
        <h2>{report.message}</h2>
      </div>
      <div className="card-body">
        <p className="strong anywhere">
          <bdi>{parameters.subject || words.campaigns.noSubject}</bdi>
        </p>
        {preheader && (
          <p className="small text-2 anywhere">
            <bdi>{preheader}</bdi>
          </p>
        )}
      </div>
      {htmlContent && (
        <div style={{ borderTop: '1px solid var(--f-line)', height: 420 }}>
          <MessageFrame title={composer.previewTitle} html={htmlContent} />
        </div>
      )}
      {textContent && (
        <details className="card-body" style={{ paddingTop: 12 }}>
          <summary className="small">{campaignParts.sources.textContent}</summary>
          <p className="small anywhere" style={{ whiteSpace: 'pre-wrap', paddingTop: 8 }}>
            {textContent}
          </p>
        </details>
      )}
    </section>
  );
}

/** The segments of the campaign, in the order in which they take people. */
function SegmentsOf({ idCampaign }: { readonly idCampaign: number }) {
  const { words } = useWords();
  const texts = words.campaignParts.audience;
  const site = useSite();
  const { data, error, refetch } = useQuery(segmentsQuery(site.name, idCampaign));
  return (
    <section className="card" aria-label={texts.title}>
      <div className="card-head">
        <h2>{texts.title}</h2>
      </div>
      {!data && (error ? <Failed error={error} retry={() => void refetch()} /> : <Loading rows={2} />)}
      <ol className="card-body stack tight">
        {data?.map((segment) => (
          <SegmentOf key={segment.id} segment={segment} />
        ))}
      </ol>
    </section>
  );
}

function SegmentOf({ segment: { parameters, advertisements } }: { readonly segment: Segment }) {
  const { words, format } = useWords();
  const run = useRunWords();
  const texts = words.campaignParts.audience;
  const { name, isExcluded, isRandom, percent, fixedValues, mailObject, senderAlias } = parameters;
  const facts = [
    isExcluded && run.excluded,
    percent < 100 && (isRandom ? run.percentAtRandom(percent) : run.percent(percent)),
    fixedValues > 0 && run.most(words.campaigns.people(format.count(fixedValues), format.isOne(fixedValues))),
    mailObject && words.shell.labelled(texts.subject, mailObject),
    senderAlias && words.shell.labelled(texts.sender, senderAlias),
    ...advertisements.map((one) =>
      words.shell.labelled(texts.advertisement(format.count(one.position)), one.name),
    ),
  ].filter((fact) => typeof fact === 'string');
  return (
    <li>
      <p className="strong anywhere">
        <bdi>{name}</bdi>
      </p>
      {facts.map((fact) => (
        <p key={fact} className="small text-2 anywhere">
          {fact}
        </p>
      ))}
    </li>
  );
}

import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { useSite } from '../session/session.tsx';
import { useShortcuts } from '../shell/keys.ts';
import { useWords } from '../words/words.tsx';
import { type Campaign, stateOf } from './campaign.ts';
import { useRunWords } from './report-words.ts';
import { usePeopleText } from './use-people-text.ts';
import { type RunChange, useRunChange } from './use-run-change.ts';

interface ActionsProps {
  readonly campaign: Campaign;
  /** Numbers of people; undefined until they are counted. */
  readonly left: number | undefined;
  readonly accepted: number | undefined;
  /** Whether the service paused it. */
  readonly isPausedByItself: boolean;
}

/** Whether a user may pause and stop a campaign, which has begun. */
export const mayChange = (site: ReturnType<typeof useSite>, campaign: Campaign): boolean =>
  site.may('sender') && stateOf(campaign) !== 'Programmed';

/** Pause at once, resume, or stop for good after a question that names the people concerned. */
export function RunActions({ campaign, left, accepted, isPausedByItself }: ActionsProps) {
  const people = usePeopleText();
  const run = useRunWords();
  const site = useSite();
  const [isAsking, setAsking] = useState(false);
  const change = useRunChange(campaign.id);
  const isPaused = stateOf(campaign) === 'Paused';
  const toggle = isPaused ? 'send-now' : 'pause';
  const maySend = mayChange(site, campaign);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function only calls the service
  const shortcuts = useMemo(
    () =>
      maySend ? [{ keys: 'p', label: isPaused ? run.resume : run.pause, run: () => change(toggle) }] : [],
    [maySend, isPaused, toggle, run],
  );
  useShortcuts(shortcuts);
  if (!maySend) return null;
  return (
    <>
      <Button
        c="var(--f-red)"
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {run.stop}
      </Button>
      <Button
        leftSection={
          isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />
        }
        onClick={() => change(toggle)}
      >
        {isPausedByItself && left !== undefined
          ? run.resumeFor(people(left))
          : isPaused
            ? run.resume
            : run.pause}
      </Button>
      <StopQuestion
        campaign={campaign}
        isOpen={isAsking}
        close={() => setAsking(false)}
        left={left}
        accepted={accepted}
        isPaused={isPaused}
        change={change}
      />
    </>
  );
}

interface StopQuestionProps extends Omit<ActionsProps, 'isPausedByItself'> {
  readonly isOpen: boolean;
  readonly isPaused: boolean;
  readonly close: () => void;
  readonly change: (to: RunChange) => void;
}

function StopQuestion({ campaign, isOpen, close, left, accepted, isPaused, change }: StopQuestionProps) {
  const { words, format } = useWords();
  const run = useRunWords();
  const people = usePeopleText();
  const count = (number: number | undefined) => (number === undefined ? '–' : format.count(number));
  const choose = (to: RunChange) => () => {
    close();
    change(to);
  };
  return (
    <Dialog isOpen={isOpen} close={close} title={run.stopTitle(campaign.parameters.name)}>
      <p className="small text-2">
        {run.stopText(count(accepted), format.isOne(accepted), count(left), format.isOne(left))}
      </p>
      <div className="row dialog-acts" style={{ marginTop: 16 }}>
        <Button data-autofocus onClick={isPaused ? close : choose('pause')}>
          {isPaused ? words.composer.confirm.back : run.pauseInstead}
        </Button>
        <Button variant="filled" color="red" onClick={choose('stop')}>
          {run.stopConfirm(people(left))}
        </Button>
      </div>
    </Dialog>
  );
}

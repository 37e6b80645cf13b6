// How one signs in: one's own password, second factors and open sessions.
import { PageHead } from '../../ui/page-head.tsx';
import { useWords } from '../../words/words.tsx';
import { Factors } from './factors.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';

export function OwnPage() {
  return (
    <div className="grid gap-4">
      <PageHead title={useWords().own.title} />
      <Factors />
      <Password />
      <Sessions />
    </div>
  );
}

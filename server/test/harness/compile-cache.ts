// Loaded into every test process: what one of them compiled the others need not compile again.
import { enableCompileCache } from 'node:module';

enableCompileCache();

// Node's own doors: internal bindings, the inspector, files of the host, environment, workers, WASI
// expect: held
'use strict';
const fs=require('fs'),os=require('os'),net=require('net'),cp=require('child_process');
if(process.env.HOSTILE_OK!=='1'){console.error('refusing: run me only inside a sandbox driver (HOSTILE_OK=1)');process.exit(1);}
const P=JSON.parse(process.env.HOSTILE_PARAMS||'{}');
const verdict=(v,...w)=>console.log('VERDICT:',v,...w);
const bad=[];const mark=['planted','host','secret'].join('-');
const attempt=(n,f)=>{try{if(f())bad.push(n)}catch{}};
attempt('env',()=>JSON.stringify(process.env).includes(mark));
attempt('canary',()=>fs.readFileSync(P.canary,'utf8').length>0);
attempt('environ',()=>fs.readdirSync('/proc').filter(p=>/^\d+$/.test(p)).some(p=>{try{return fs.readFileSync(`/proc/${p}/environ`,'latin1').includes(mark)}catch{return false}}));
attempt('binding',()=>{const b=process.binding('fs');return b.internalModuleReadJSON&&b.internalModuleReadJSON(P.canary)[0]});
attempt('execPath',()=>{fs.writeFileSync(process.execPath,'x');return true});
attempt('execPath folder',()=>{fs.writeFileSync(require('path').join(require('path').dirname(process.execPath),'evil'),'x');return true});
attempt('parent modules',()=>require.main&&require.main.paths.some(p=>{try{return fs.readdirSync(p).length>0&&fs.accessSync(p,2)===undefined&&!p.startsWith('/work')}catch{return false}}));
attempt('setuid',()=>{process.setuid(0);return process.getuid()===0});
attempt('shell',()=>cp.execSync('cat '+JSON.stringify(P.canary),{stdio:['ignore','pipe','ignore']}).length>0);
require('inspector').open(0,'0.0.0.0');require('inspector').close();
const s=net.connect(P.port,'127.0.0.1');s.setTimeout(1000);
const end=()=>{s.destroy();bad.length?verdict('ESCAPED',...bad):verdict('HELD')};
s.on('connect',()=>{bad.push('connect');end()});s.on('error',end);s.on('timeout',end);

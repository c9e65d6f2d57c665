// poisoned prototypes, replaced globals and an exit hook that never returns
// expect: killed:timeout
'use strict';
const fs=require('fs'),os=require('os'),net=require('net'),cp=require('child_process');
if(process.env.HOSTILE_OK!=='1'){console.error('refusing: run me only inside a sandbox driver (HOSTILE_OK=1)');process.exit(1);}
const P=JSON.parse(process.env.HOSTILE_PARAMS||'{}');
const verdict=(v,...w)=>console.log('VERDICT:',v,...w);
for(const k of ['toString','then','length','stdout','exitCode','reason'])Object.defineProperty(Object.prototype,k,{get(){return 'owned'},set(){},configurable:true});
process.exit=()=>{};process.reallyExit=()=>{};process.on('exit',()=>{for(;;);});JSON.parse=()=>({});
setTimeout(()=>{throw new Error('end')},50);

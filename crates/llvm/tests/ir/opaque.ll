; ModuleID = 'small.c'
source_filename = "small.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.node = type { ptr, i32 }

@list = dso_local global %struct.node { ptr @list, i32 3 }, align 8, !dbg !0
@mine = dso_local thread_local local_unnamed_addr global i64 0, align 8, !dbg !22
@flag = dso_local global i32 0, align 4, !dbg !18

; Function Attrs: nounwind uwtable
define dso_local range(i32 -2147483551, -2147483648) i32 @check(ptr noundef readonly %0, i32 noundef %1) local_unnamed_addr #0 !dbg !48 {
    #dbg_value(ptr %0, !52, !DIExpression(), !57)
    #dbg_value(i32 %1, !53, !DIExpression(), !57)
    #dbg_value(i32 0, !54, !DIExpression(), !57)
    #dbg_value(ptr %0, !55, !DIExpression(), !58)
  %3 = icmp eq ptr %0, null, !dbg !59
  br i1 %3, label %21, label %4, !dbg !59

4:                                                ; preds = %2
  %5 = icmp sgt i32 %1, 3
  %6 = tail call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @mine)
  %7 = load i64, ptr %6, align 8
  %8 = trunc i64 %7 to i32
  %9 = select i1 %5, i32 2, i32 %8
  br label %10, !dbg !59

10:                                               ; preds = %4, %16
  %11 = phi i32 [ 0, %4 ], [ %18, %16 ]
  %12 = phi ptr [ %0, %4 ], [ %19, %16 ]
    #dbg_value(i32 %11, !54, !DIExpression(), !57)
    #dbg_value(ptr %12, !55, !DIExpression(), !58)
  %13 = getelementptr inbounds i8, ptr %12, i64 8, !dbg !60
  %14 = load i32, ptr %13, align 8, !dbg !60, !tbaa !63
  switch i32 %14, label %15 [
    i32 1, label %16
    i32 7, label %25
  ], !dbg !69

15:                                               ; preds = %10
    #dbg_value(!DIArgList(i32 %11, i32 %9), !54, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !57)
  br label %16, !dbg !70

16:                                               ; preds = %10, %15
  %17 = phi i32 [ %9, %15 ], [ %14, %10 ]
  %18 = add nsw i32 %17, %11, !dbg !72
    #dbg_value(i32 %18, !54, !DIExpression(), !57)
  %19 = load ptr, ptr %12, align 8, !dbg !73, !tbaa !74
    #dbg_value(ptr %19, !55, !DIExpression(), !58)
  %20 = icmp eq ptr %19, null, !dbg !59
  br i1 %20, label %21, label %10, !dbg !59, !llvm.loop !75

21:                                               ; preds = %16, %2
  %22 = phi i32 [ 0, %2 ], [ %18, %16 ], !dbg !57
  store atomic i32 %22, ptr @flag release, align 4, !dbg !79
  tail call void asm sideeffect "lock; addl $$0,0(%rsp)", "~{memory},~{dirflag},~{fpsr},~{flags}"() #2, !dbg !80, !srcloc !81
  %23 = atomicrmw add ptr @flag, i32 1 seq_cst, align 4, !dbg !82
  %24 = add nsw i32 %23, 97, !dbg !83
  br label %25, !dbg !84

25:                                               ; preds = %10, %21
  %26 = phi i32 [ %24, %21 ], [ -1, %10 ], !dbg !57
  ret i32 %26, !dbg !85
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #1

attributes #0 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!40, !41, !42, !43, !44, !45, !46}
!llvm.ident = !{!47}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "list", scope: !2, file: !20, line: 3, type: !35, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, retainedTypes: !15, globals: !17, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "small.c", directory: "/src", checksumkind: CSK_MD5, checksum: "6ad5250d3a55b071bab71533ae81f40d")
!4 = !{!5}
!5 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "memory_order", file: !6, line: 68, baseType: !7, size: 32, elements: !8)
!6 = !DIFile(filename: "/usr/lib/llvm-19/lib/clang/19/include/stdatomic.h", directory: "", checksumkind: CSK_MD5, checksum: "f17199a988fe91afffaf0f943ef87096")
!7 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!8 = !{!9, !10, !11, !12, !13, !14}
!9 = !DIEnumerator(name: "memory_order_relaxed", value: 0)
!10 = !DIEnumerator(name: "memory_order_consume", value: 1)
!11 = !DIEnumerator(name: "memory_order_acquire", value: 2)
!12 = !DIEnumerator(name: "memory_order_release", value: 3)
!13 = !DIEnumerator(name: "memory_order_acq_rel", value: 4)
!14 = !DIEnumerator(name: "memory_order_seq_cst", value: 5)
!15 = !{!16}
!16 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!17 = !{!0, !18, !22, !25, !31}
!18 = !DIGlobalVariableExpression(var: !19, expr: !DIExpression())
!19 = distinct !DIGlobalVariable(name: "flag", scope: !2, file: !20, line: 3, type: !21, isLocal: false, isDefinition: true)
!20 = !DIFile(filename: "small.c", directory: "", checksumkind: CSK_MD5, checksum: "6ad5250d3a55b071bab71533ae81f40d")
!21 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !16)
!22 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression())
!23 = distinct !DIGlobalVariable(name: "mine", scope: !2, file: !20, line: 3, type: !24, isLocal: false, isDefinition: true)
!24 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!25 = !DIGlobalVariableExpression(var: !26, expr: !DIExpression())
!26 = distinct !DIGlobalVariable(scope: null, file: !20, line: 3, type: !27, isLocal: true, isDefinition: true)
!27 = !DICompositeType(tag: DW_TAG_array_type, baseType: !28, size: 48, elements: !29)
!28 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!29 = !{!30}
!30 = !DISubrange(count: 6)
!31 = !DIGlobalVariableExpression(var: !32, expr: !DIExpression())
!32 = distinct !DIGlobalVariable(name: "name", scope: !2, file: !20, line: 3, type: !33, isLocal: true, isDefinition: true)
!33 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !34, size: 64)
!34 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !28)
!35 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !20, line: 2, size: 128, elements: !36)
!36 = !{!37, !39}
!37 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !35, file: !20, line: 2, baseType: !38, size: 64)
!38 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !35, size: 64)
!39 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !35, file: !20, line: 2, baseType: !16, size: 32, offset: 64)
!40 = !{i32 7, !"Dwarf Version", i32 5}
!41 = !{i32 2, !"Debug Info Version", i32 3}
!42 = !{i32 1, !"wchar_size", i32 4}
!43 = !{i32 8, !"PIC Level", i32 2}
!44 = !{i32 7, !"PIE Level", i32 2}
!45 = !{i32 7, !"uwtable", i32 2}
!46 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!47 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!48 = distinct !DISubprogram(name: "check", scope: !20, file: !20, line: 4, type: !49, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !51)
!49 = !DISubroutineType(types: !50)
!50 = !{!16, !38, !16}
!51 = !{!52, !53, !54, !55}
!52 = !DILocalVariable(name: "n", arg: 1, scope: !48, file: !20, line: 4, type: !38)
!53 = !DILocalVariable(name: "limit", arg: 2, scope: !48, file: !20, line: 4, type: !16)
!54 = !DILocalVariable(name: "total", scope: !48, file: !20, line: 5, type: !16)
!55 = !DILocalVariable(name: "at", scope: !56, file: !20, line: 6, type: !38)
!56 = distinct !DILexicalBlock(scope: !48, file: !20, line: 6, column: 3)
!57 = !DILocation(line: 0, scope: !48)
!58 = !DILocation(line: 0, scope: !56)
!59 = !DILocation(line: 6, column: 3, scope: !56)
!60 = !DILocation(line: 6, column: 62, scope: !61)
!61 = distinct !DILexicalBlock(scope: !62, file: !20, line: 6, column: 48)
!62 = distinct !DILexicalBlock(scope: !56, file: !20, line: 6, column: 3)
!63 = !{!64, !68, i64 8}
!64 = !{!"node", !65, i64 0, !68, i64 8}
!65 = !{!"any pointer", !66, i64 0}
!66 = !{!"omnipotent char", !67, i64 0}
!67 = !{!"Simple C/C++ TBAA"}
!68 = !{!"int", !66, i64 0}
!69 = !DILocation(line: 6, column: 50, scope: !61)
!70 = !DILocation(line: 6, column: 159, scope: !71)
!71 = distinct !DILexicalBlock(scope: !61, file: !20, line: 6, column: 69)
!72 = !DILocation(line: 6, scope: !71)
!73 = !DILocation(line: 6, column: 42, scope: !62)
!74 = !{!64, !65, i64 0}
!75 = distinct !{!75, !59, !76, !77, !78}
!76 = !DILocation(line: 6, column: 161, scope: !56)
!77 = !{!"llvm.loop.mustprogress"}
!78 = !{!"llvm.loop.unroll.disable"}
!79 = !DILocation(line: 7, column: 3, scope: !48)
!80 = !DILocation(line: 8, column: 3, scope: !48)
!81 = !{i64 482}
!82 = !DILocation(line: 9, column: 10, scope: !48)
!83 = !DILocation(line: 9, column: 37, scope: !48)
!84 = !DILocation(line: 9, column: 3, scope: !48)
!85 = !DILocation(line: 10, column: 1, scope: !48)

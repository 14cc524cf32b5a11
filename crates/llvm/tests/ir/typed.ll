; ModuleID = 'small.c'
source_filename = "small.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.node = type { %struct.node*, i32 }

@list = dso_local global %struct.node { %struct.node* @list, i32 3 }, align 8, !dbg !0
@mine = dso_local thread_local global i64 0, align 8, !dbg !22
@flag = dso_local global i32 0, align 4, !dbg !18
@name = internal global i8* getelementptr inbounds ([6 x i8], [6 x i8]* @.str, i32 0, i32 0), align 8, !dbg !25
@.str = private unnamed_addr constant [6 x i8] c"a\0A\22b\22\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @check(%struct.node* noundef %0, i32 noundef %1) #0 !dbg !43 {
  %3 = alloca i32, align 4
  %4 = alloca %struct.node*, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca %struct.node*, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  store %struct.node* %0, %struct.node** %4, align 8
  call void @llvm.dbg.declare(metadata %struct.node** %4, metadata !47, metadata !DIExpression()), !dbg !48
  store i32 %1, i32* %5, align 4
  call void @llvm.dbg.declare(metadata i32* %5, metadata !49, metadata !DIExpression()), !dbg !50
  call void @llvm.dbg.declare(metadata i32* %6, metadata !51, metadata !DIExpression()), !dbg !52
  store i32 0, i32* %6, align 4, !dbg !52
  call void @llvm.dbg.declare(metadata %struct.node** %7, metadata !53, metadata !DIExpression()), !dbg !55
  %11 = load %struct.node*, %struct.node** %4, align 8, !dbg !56
  store %struct.node* %11, %struct.node** %7, align 8, !dbg !55
  br label %12, !dbg !57

12:                                               ; preds = %35, %2
  %13 = load %struct.node*, %struct.node** %7, align 8, !dbg !58
  %14 = icmp ne %struct.node* %13, null, !dbg !60
  br i1 %14, label %15, label %39, !dbg !60

15:                                               ; preds = %12
  %16 = load %struct.node*, %struct.node** %7, align 8, !dbg !61
  %17 = getelementptr inbounds %struct.node, %struct.node* %16, i32 0, i32 1, !dbg !63
  %18 = load i32, i32* %17, align 8, !dbg !63
  switch i32 %18, label %23 [
    i32 1, label %19
    i32 7, label %22
  ], !dbg !64

19:                                               ; preds = %15
  %20 = load i32, i32* %6, align 4, !dbg !65
  %21 = add nsw i32 %20, 1, !dbg !65
  store i32 %21, i32* %6, align 4, !dbg !65
  br label %34, !dbg !67

22:                                               ; preds = %15
  store i32 -1, i32* %3, align 4, !dbg !68
  br label %50, !dbg !68

23:                                               ; preds = %15
  %24 = load i32, i32* %5, align 4, !dbg !69
  %25 = icmp sgt i32 %24, 3, !dbg !70
  br i1 %25, label %26, label %27, !dbg !69

26:                                               ; preds = %23
  br label %30, !dbg !69

27:                                               ; preds = %23
  %28 = load i64, i64* @mine, align 8, !dbg !71
  %29 = trunc i64 %28 to i32, !dbg !72
  br label %30, !dbg !69

30:                                               ; preds = %27, %26
  %31 = phi i32 [ 2, %26 ], [ %29, %27 ], !dbg !69
  %32 = load i32, i32* %6, align 4, !dbg !73
  %33 = add nsw i32 %32, %31, !dbg !73
  store i32 %33, i32* %6, align 4, !dbg !73
  br label %34, !dbg !74

34:                                               ; preds = %30, %19
  br label %35, !dbg !75

35:                                               ; preds = %34
  %36 = load %struct.node*, %struct.node** %7, align 8, !dbg !76
  %37 = getelementptr inbounds %struct.node, %struct.node* %36, i32 0, i32 0, !dbg !77
  %38 = load %struct.node*, %struct.node** %37, align 8, !dbg !77
  store %struct.node* %38, %struct.node** %7, align 8, !dbg !78
  br label %12, !dbg !79, !llvm.loop !80

39:                                               ; preds = %12
  %40 = load i32, i32* %6, align 4, !dbg !83
  store i32 %40, i32* %8, align 4, !dbg !84
  %41 = load i32, i32* %8, align 4, !dbg !84
  store atomic i32 %41, i32* @flag release, align 4, !dbg !84
  call void asm sideeffect "lock; addl $$0,0(%rsp)", "~{memory},~{dirflag},~{fpsr},~{flags}"() #2, !dbg !85, !srcloc !86
  store i32 1, i32* %9, align 4, !dbg !87
  %42 = load i32, i32* %9, align 4, !dbg !87
  %43 = atomicrmw add i32* @flag, i32 %42 seq_cst, align 4, !dbg !87
  store i32 %43, i32* %10, align 4, !dbg !87
  %44 = load i32, i32* %10, align 4, !dbg !87
  %45 = load i8*, i8** @name, align 8, !dbg !88
  %46 = getelementptr inbounds i8, i8* %45, i64 0, !dbg !88
  %47 = load i8, i8* %46, align 1, !dbg !88
  %48 = sext i8 %47 to i32, !dbg !88
  %49 = add nsw i32 %44, %48, !dbg !89
  store i32 %49, i32* %3, align 4, !dbg !90
  br label %50, !dbg !90

50:                                               ; preds = %39, %22
  %51 = load i32, i32* %3, align 4, !dbg !91
  ret i32 %51, !dbg !91
}

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.declare(metadata, metadata, metadata) #1

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #2 = { nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!35, !36, !37, !38, !39, !40, !41}
!llvm.ident = !{!42}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "list", scope: !2, file: !20, line: 3, type: !30, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "Debian clang version 14.0.6", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, retainedTypes: !15, globals: !17, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "small.c", directory: "/src", checksumkind: CSK_MD5, checksum: "6ad5250d3a55b071bab71533ae81f40d")
!4 = !{!5}
!5 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "memory_order", file: !6, line: 56, baseType: !7, size: 32, elements: !8)
!6 = !DIFile(filename: "/usr/lib/llvm-14/lib/clang/14.0.6/include/stdatomic.h", directory: "", checksumkind: CSK_MD5, checksum: "de5d66a1ef2f5448cc1919ff39db92bc")
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
!17 = !{!0, !18, !22, !25}
!18 = !DIGlobalVariableExpression(var: !19, expr: !DIExpression())
!19 = distinct !DIGlobalVariable(name: "flag", scope: !2, file: !20, line: 3, type: !21, isLocal: false, isDefinition: true)
!20 = !DIFile(filename: "small.c", directory: "", checksumkind: CSK_MD5, checksum: "6ad5250d3a55b071bab71533ae81f40d")
!21 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !16)
!22 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression())
!23 = distinct !DIGlobalVariable(name: "mine", scope: !2, file: !20, line: 3, type: !24, isLocal: false, isDefinition: true)
!24 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!25 = !DIGlobalVariableExpression(var: !26, expr: !DIExpression())
!26 = distinct !DIGlobalVariable(name: "name", scope: !2, file: !20, line: 3, type: !27, isLocal: true, isDefinition: true)
!27 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !28, size: 64)
!28 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !29)
!29 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!30 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !20, line: 2, size: 128, elements: !31)
!31 = !{!32, !34}
!32 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !30, file: !20, line: 2, baseType: !33, size: 64)
!33 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !30, size: 64)
!34 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !30, file: !20, line: 2, baseType: !16, size: 32, offset: 64)
!35 = !{i32 7, !"Dwarf Version", i32 5}
!36 = !{i32 2, !"Debug Info Version", i32 3}
!37 = !{i32 1, !"wchar_size", i32 4}
!38 = !{i32 7, !"PIC Level", i32 2}
!39 = !{i32 7, !"PIE Level", i32 2}
!40 = !{i32 7, !"uwtable", i32 1}
!41 = !{i32 7, !"frame-pointer", i32 2}
!42 = !{!"Debian clang version 14.0.6"}
!43 = distinct !DISubprogram(name: "check", scope: !20, file: !20, line: 4, type: !44, scopeLine: 4, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !46)
!44 = !DISubroutineType(types: !45)
!45 = !{!16, !33, !16}
!46 = !{}
!47 = !DILocalVariable(name: "n", arg: 1, scope: !43, file: !20, line: 4, type: !33)
!48 = !DILocation(line: 4, column: 24, scope: !43)
!49 = !DILocalVariable(name: "limit", arg: 2, scope: !43, file: !20, line: 4, type: !16)
!50 = !DILocation(line: 4, column: 31, scope: !43)
!51 = !DILocalVariable(name: "total", scope: !43, file: !20, line: 5, type: !16)
!52 = !DILocation(line: 5, column: 7, scope: !43)
!53 = !DILocalVariable(name: "at", scope: !54, file: !20, line: 6, type: !33)
!54 = distinct !DILexicalBlock(scope: !43, file: !20, line: 6, column: 3)
!55 = !DILocation(line: 6, column: 21, scope: !54)
!56 = !DILocation(line: 6, column: 26, scope: !54)
!57 = !DILocation(line: 6, column: 8, scope: !54)
!58 = !DILocation(line: 6, column: 29, scope: !59)
!59 = distinct !DILexicalBlock(scope: !54, file: !20, line: 6, column: 3)
!60 = !DILocation(line: 6, column: 3, scope: !54)
!61 = !DILocation(line: 6, column: 58, scope: !62)
!62 = distinct !DILexicalBlock(scope: !59, file: !20, line: 6, column: 48)
!63 = !DILocation(line: 6, column: 62, scope: !62)
!64 = !DILocation(line: 6, column: 50, scope: !62)
!65 = !DILocation(line: 6, column: 84, scope: !66)
!66 = distinct !DILexicalBlock(scope: !62, file: !20, line: 6, column: 69)
!67 = !DILocation(line: 6, column: 88, scope: !66)
!68 = !DILocation(line: 6, column: 103, scope: !66)
!69 = !DILocation(line: 6, column: 132, scope: !66)
!70 = !DILocation(line: 6, column: 138, scope: !66)
!71 = !DILocation(line: 6, column: 153, scope: !66)
!72 = !DILocation(line: 6, column: 148, scope: !66)
!73 = !DILocation(line: 6, column: 129, scope: !66)
!74 = !DILocation(line: 6, column: 159, scope: !66)
!75 = !DILocation(line: 6, column: 161, scope: !62)
!76 = !DILocation(line: 6, column: 38, scope: !59)
!77 = !DILocation(line: 6, column: 42, scope: !59)
!78 = !DILocation(line: 6, column: 36, scope: !59)
!79 = !DILocation(line: 6, column: 3, scope: !59)
!80 = distinct !{!80, !60, !81, !82}
!81 = !DILocation(line: 6, column: 161, scope: !54)
!82 = !{!"llvm.loop.mustprogress"}
!83 = !DILocation(line: 7, column: 32, scope: !43)
!84 = !DILocation(line: 7, column: 3, scope: !43)
!85 = !DILocation(line: 8, column: 3, scope: !43)
!86 = !{i64 482}
!87 = !DILocation(line: 9, column: 10, scope: !43)
!88 = !DILocation(line: 9, column: 39, scope: !43)
!89 = !DILocation(line: 9, column: 37, scope: !43)
!90 = !DILocation(line: 9, column: 3, scope: !43)
!91 = !DILocation(line: 10, column: 1, scope: !43)
